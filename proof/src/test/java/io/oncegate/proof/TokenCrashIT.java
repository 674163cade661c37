package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Operation;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenRefusal;
import io.oncegate.core.token.TokenUse;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a second JVM with SIGKILL between the acceptance of a strict token and the commit of its effect. */
class TokenCrashIT {
    /** Where strict tokens are kept; the effects are in PostgreSQL both times. */
    enum Kept {
        IN_REDIS,
        IN_POSTGRESQL
    }

    private static TestDatabase database;
    private static Effects effects;

    @BeforeAll
    static void open() throws SQLException {
        database = Databases.POSTGRESQL.fresh();
        DriverSource source = new DriverSource(database.url(), database.user(), database.password());
        effects = new Effects(source);
        effects.create();
        JdbcSchema.tokens(source).create();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static Place place(Kept kept) {
        String redis =
                kept == Kept.IN_REDIS ? RedisServers.standalone().uri().toURI().toString() : "";
        return new Place(Mode.CLAIMED_REDIS, database.url(), database.user(), database.password(), redis);
    }

    private static Effects.Seen see(String name) throws SQLException {
        RecordId none = Operation.named("none")
                .returning(String.class)
                .build()
                .call(TokenVictim.SUBJECT, name, Fingerprint.of(name))
                .key()
                .id();
        return effects.see(name, none);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("C05c: killed between acceptance and commit, the token stays burnt, and the effect has not happened")
    void aKilledProcessLeavesItsTokenBurnt(Kept kept) throws SQLException {
        Place place = place(kept);
        String name = "token-" + UUID.randomUUID();
        TokenVictim.with(place, tokens -> {
            String token = issue(tokens);
            try (VictimProcess victim = VictimProcess.startToken(place, token, name)) {
                victim.await(TokenVictim.ACCEPTED);
                assertRefused(tokens, token);
                assertThat(victim.kill()).isEqualTo(VictimProcess.KILLED);
                assertThat(victim.allSaid()).noneMatch(line -> line.startsWith("ANSWER"));
            }
            assertRefused(tokens, token);
            assertThat(TokenVictim.use(tokens, place, token, name, () -> true)).isFalse();
            assertThat(see(name)).isEqualTo(new Effects.Seen(0, 0, 0));

            String next = issue(tokens);
            assertThat(TokenVictim.use(tokens, place, next, name, () -> true)).isTrue();
            assertThat(TokenVictim.use(tokens, place, next, name, () -> true)).isFalse();
            assertThat(see(name)).isEqualTo(new Effects.Seen(1, 1, 0));
            return next;
        });
    }

    private static String issue(OnceTokens tokens) {
        return ((TokenIssue.Issued) tokens.issue(TokenVictim.SUBJECT, TokenVictim.PURPOSE, TokenMode.STRICT)).token();
    }

    private static void assertRefused(OnceTokens tokens, String token) {
        assertThat(tokens.use(token, TokenVictim.SUBJECT, TokenVictim.PURPOSE, Operation.DEFAULT_RETENTION))
                .isEqualTo(new TokenUse.Refused(TokenRefusal.USED));
    }
}
