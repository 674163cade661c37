package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.RETENTION;
import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.id;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordPurger.Purged;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testkit.Untimed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a sweep removes, leaves, and does to those who work meanwhile. */
class JdbcPurgeIT {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcPurgeIT.class);

    /** How many expired rows C97 has: 2,000,000 in the case, fewer in every build. */
    private static final int EXPIRED = Integer.getInteger("oncegate.jdbc.expired-rows", 20_000);

    private static final int LARGE = 100_000;
    private static final int IDLE = 50;
    private static final int SWEEPERS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(EXPIRED > LARGE ? 60 : 2);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(1);

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    /** Where the case's own number of rows is asked for, the two databases that it names; H2 sorts all that is due for each batch. */
    static Stream<Arguments> sweeps() {
        return EXPIRED > LARGE
                ? Stream.of(Arguments.of(TestSetup.POSTGRESQL, EXPIRED), Arguments.of(TestSetup.MARIADB, EXPIRED))
                : kinds().map(setup -> Arguments.of(setup, setup == TestSetup.H2 ? EXPIRED / 20 : EXPIRED));
    }

    @ParameterizedTest
    @MethodSource("sweeps")
    @DisplayName("C97: three instances sweep together under live inserts: no error, and nothing alive is touched")
    void threeInstancesSweepTogetherUnderLiveInserts(TestSetup setup, int expired) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            fill(open, expired);
            HikariDataSource pool = open.pool(SWEEPERS + LiveInserts.WRITERS);
            RecordStore live = open.store(pool).timeout(TIMEOUT).build();
            ClaimRef running = granted(live, request("running"));
            live.settle(granted(live, request("settled")), succeeded("r"));
            live.settle(granted(live, request("unknown")), Settlement.unknown(SHORT, SHORT));
            LiveInserts idle = new LiveInserts(live, "idle");
            Threads.together(LiveInserts.WRITERS, writer -> idle.run(writer, done -> done < IDLE));
            AtomicInteger sweeping = new AtomicInteger(SWEEPERS);
            LiveInserts inserts = new LiveInserts(live, "live");
            long began = System.nanoTime();
            List<Integer> counts = Threads.together(SWEEPERS + LiveInserts.WRITERS, LIMIT, number -> {
                if (number >= SWEEPERS) {
                    return inserts.run(number, done -> sweeping.get() > 0);
                }
                try {
                    return sweep(open.store(pool).timeout(TIMEOUT).build());
                } finally {
                    sweeping.decrementAndGet();
                }
            });
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(counts.get(0) + counts.get(1) + counts.get(2)).isEqualTo(expired);
            assertThat(open.number("SELECT COUNT(*) FROM oncegate_record"))
                    .isEqualTo(3 + LiveInserts.WRITERS * IDLE + counts.get(3) + counts.get(4));
            assertThat(live.renew(running, Requests.LEASE)).isEqualTo(HolderAnswer.DONE);
            assertThat(Untimed.of(live.claim(request("settled")))).isEqualTo(Requests.replay("r"));
            assertThat(live.claim(request("unknown"))).isInstanceOf(ClaimAnswer.Unknown.class);
            // a warning, so that the tests' log shows it
            LOG.warn(
                    "{}: {} expired rows swept in {} ms; idle: {}; under the sweep: {}",
                    setup,
                    expired,
                    millis,
                    idle.figures(),
                    inserts.figures());
        }
    }

    private static int sweep(JdbcRecordStore store) {
        int deleted = 0;
        // What others hold locked is left out, so an empty batch is not the end of it.
        for (int empty = 0; empty < 20; ) {
            Purged purged = store.purge(500);
            deleted += purged.deleted();
            empty = purged.isEmpty() ? empty + 1 : 0;
        }
        return deleted;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C97: a row that another transaction has locked is left for later, not waited for")
    void aLockedRowIsLeftForLater(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            fill(open, 10);
            JdbcRecordStore store = open.store(open.pool(1)).timeout(TIMEOUT).build();
            try (Connection other = open.database.connect()) {
                other.setAutoCommit(false);
                byte[] locked = fillId(3);
                try (PreparedStatement statement =
                        other.prepareStatement("UPDATE oncegate_record SET retention = 7 WHERE id = ?")) {
                    statement.setBytes(1, locked);
                    assertThat(statement.executeUpdate()).isEqualTo(1);
                }
                assertThat(store.purge(100).deleted()).isEqualTo(9);
                assertThat(store.purge(100).isEmpty()).isTrue();
                other.rollback();
            }
            assertThat(store.purge(100).deleted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRecordStaysUntilTheClockHasPassedItsFenceByTheMargin(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(1);
            JdbcRecordStore wide = open.store(pool).build();
            Duration margin = Duration.ofMillis(50);
            JdbcRecordStore narrow = open.store(pool).purgeMargin(margin).build();
            ClaimRef claim = granted(narrow, request("k", "10", SHORT, SHORT));
            open.backend().passTime(Duration.ofMillis(3));
            open.execute("UPDATE oncegate_record SET due_at = 1");
            // It has expired, and the index proposes it; but the margin is not over, so it is put off.
            assertThat(wide.purge(10).isEmpty()).isTrue();
            assertThat(open.number("SELECT due_at FROM oncegate_record"))
                    .isEqualTo(claim.fence() + JdbcRecordStore.DEFAULT_PURGE_MARGIN.toMillis() * 1000);
            open.backend().passTime(margin);
            assertThat(narrow.purge(10).isEmpty()).isTrue();
            open.execute("UPDATE oncegate_record SET due_at = 1");
            assertThat(narrow.purge(10)).isEqualTo(new Purged(1, 0));
            assertThat(narrow.find(id("k"))).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aResultGoesBeforeItsRecordAndTheTombstoneAnswers(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcRecordStore store = open.store(open.pool(1)).build();
            ClaimRef claim = granted(store, request("k"));
            store.settle(
                    claim,
                    new Settlement(RecordState.SUCCEEDED, Requests.payload("r"), RETENTION, Duration.ofMillis(20)));
            open.backend().passTime(Duration.ofMillis(20));
            assertThat(store.purge(10)).isEqualTo(new Purged(0, 1));
            assertThat(store.find(id("k")))
                    .hasValueSatisfying(entry -> assertThat(entry.resultSize()).isEqualTo(-1));
            assertThat(Untimed.of(store.claim(request("k")))).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
            assertThat(store.purge(10).isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER", "MYSQL_DIALECT"})
    void theSweepFindsDueRowsByTheIndex(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open();
                Connection connection = open.pool(1).getConnection()) {
            fill(open, 2_000);
            open.execute("UPDATE oncegate_record SET due_at = 9000000000000000 WHERE fence > 5");
            open.execute(setup.postgres() ? "ANALYZE oncegate_record" : "ANALYZE TABLE oncegate_record");
            CountingSource counting = new CountingSource(new OneConnection(connection));
            open.store(counting.source).build().purge(1);
            String sql = counting.drain().stream()
                    .filter(call -> call.contains("SKIP LOCKED"))
                    .findFirst()
                    .orElseThrow();
            StringBuilder plan = new StringBuilder();
            try (var rows = connection.createStatement().executeQuery("EXPLAIN " + sql.replace("?", "1"))) {
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        plan.append(rows.getString(i)).append(' ');
                    }
                }
            }
            assertThat(plan.toString()).contains("oncegate_record_due").containsAnyOf("range", "Index Cond");
        }
    }

    /** Rows of long ago. */
    static void fill(TestSetup.Open open, int count) throws SQLException {
        int chunk = 500;
        String row = "(?, 'old', 2, ?, ?, ?, 0, 1, 2, ?, 2, 2)";
        try (Connection connection = open.database.connect()) {
            connection.setAutoCommit(false);
            for (int begin = 0; begin < count; begin += chunk) {
                int size = Math.min(chunk, count - begin);
                try (PreparedStatement statement = connection.prepareStatement("INSERT INTO oncegate_record"
                        + " (id, operation, state, fence, attempt, fingerprint, lease_end, retention, expires_at,"
                        + " result, result_until, due_at) VALUES "
                        + String.join(", ", Collections.nCopies(size, row)))) {
                    int parameter = 1;
                    for (int i = begin; i < begin + size; i++) {
                        statement.setBytes(parameter++, fillId(i));
                        statement.setLong(parameter++, i);
                        statement.setBytes(parameter++, new AttemptId(0, i).toBytes());
                        statement.setBytes(parameter++, Fingerprint.none().toBytes());
                        if (i % 2 == 0) {
                            statement.setNull(parameter++, Types.VARBINARY);
                        } else {
                            statement.setBytes(
                                    parameter++, Payload.of(new byte[100]).bytes());
                        }
                    }
                    statement.executeUpdate();
                }
            }
            connection.commit();
        }
    }

    private static byte[] fillId(int number) {
        byte[] bytes = new byte[32];
        new Random(number).nextBytes(bytes);
        return Arrays.copyOf(bytes, 32);
    }
}
