package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.WhenFull;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tokens in a database: the table, the purge, and rows that others hold locked. */
class JdbcTokenCasesIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration BRIEF = Duration.ofMillis(1);

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static TokenRef token() {
        return TokenRef.of(UuidV7.next(), Scope.of("subject " + UUID.randomUUID()), "order.create");
    }

    private static JdbcTokenStore store(TestSetup.Open open, Duration timeout) {
        JdbcTokenStore.Builder builder = JdbcTokenStore.builder(open.pool(4)).timeout(timeout);
        if (open.setup.mysqlDialect()) {
            builder.dialect(new MySqlDialect(JdbcTokenStore.DEFAULT_TABLE));
        }
        return builder.build();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theTableIsCheckedAndNotNeededByOthers(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.of(open.small).check();
            JdbcSchema schema = JdbcSchema.tokens(open.small);
            assertThatThrownBy(schema::check)
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("no such table")
                    .hasMessageContaining("io/oncegate/jdbc/tokens-");
            schema.create();
            schema.check();
            JdbcSchema other = JdbcSchema.tokens(open.small, "door_tokens");
            other.create();
            other.check();
            open.execute(
                    setup.mysqlFamily()
                            ? "DROP INDEX oncegate_token_due ON oncegate_token"
                            : "DROP INDEX oncegate_token_due");
            open.execute("ALTER TABLE oncegate_token DROP COLUMN attempt");
            assertThatThrownBy(schema::check)
                    .hasMessageContaining("the column attempt")
                    .hasMessageContaining("an index that begins with expires_at");
            assertThatThrownBy(() -> JdbcSchema.tokens(open.small, "a b")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store(open, Duration.ofSeconds(20)).consume(token(), AttemptId.random()))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPurgeTakesWhatHasExpiredInBatches(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.tokens(open.small).create();
            JdbcTokenStore store = store(open, Duration.ofSeconds(20));
            TokenRef good = token();
            store.issue(good, LONG, 5, WhenFull.DROP_OLDEST);
            List<TokenRef> brief = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                brief.add(token());
                store.issue(brief.get(i), BRIEF, 5, WhenFull.DROP_OLDEST);
            }
            open.backend().passTime(Duration.ofMillis(2));
            // Six tokens, and the lock rows of the subjects, which have an end too.
            int all = 0;
            for (int gone = store.purge(4); gone > 0; gone = store.purge(4)) {
                assertThat(gone).isLessThanOrEqualTo(4);
                all += gone;
            }
            assertThat(all).isGreaterThanOrEqualTo(6);
            assertThat(brief).noneMatch(token -> store.consume(token, AttemptId.random()));
            assertThat(open.number("SELECT COUNT(*) FROM oncegate_token WHERE attempt IS NOT NULL OR expires_at > 0"))
                    .isEqualTo(1);
            store.issue(brief.get(0), LONG, 5, WhenFull.DROP_OLDEST);
            assertThat(store.consume(good, AttemptId.random())).isTrue();
            assertThatThrownBy(() -> store.purge(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C88: a row that somebody else holds locked ends the use in bounded time, and a purge leaves it out")
    void aLockedRowEndsTheUseInBoundedTime(TestSetup setup) throws SQLException {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.tokens(open.small).create();
            JdbcTokenStore store = store(open, Duration.ofSeconds(2));
            JdbcTokenStore patient = store(open, Duration.ofSeconds(20));
            TokenRef locked = token();
            TokenRef other = token();
            patient.issue(locked, LONG, 5, WhenFull.DROP_OLDEST);
            patient.issue(other, LONG, 5, WhenFull.DROP_OLDEST);
            AttemptId attempt = AttemptId.random();
            try (Connection holder = open.database.connect();
                    PreparedStatement lock =
                            holder.prepareStatement("UPDATE oncegate_token SET issues = issues + 1 WHERE id = ?")) {
                holder.setAutoCommit(false);
                lock.setBytes(1, locked.idBytes());
                lock.executeUpdate();
                assertThatThrownBy(() -> store.consume(locked, attempt)).isInstanceOf(StoreUnavailableException.class);
                assertThat(patient.consume(other, AttemptId.random())).isTrue();
                patient.purge(100);
                holder.rollback();
            }
            assertThat(patient.consume(locked, attempt)).isTrue();
        }
    }
}
