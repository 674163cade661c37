package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.testkit.Untimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The database's clock, in whatever zone its session is, and no other. */
class JdbcClockIT {
    /** No node's clock is before this, and no duration that a store sends is as long. */
    private static final long YEAR_2000 = 946_684_800_000_000L;

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void noStatementIsGivenATimeThatTheDatabaseHasNotTold(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            CountingSource counting = new CountingSource(open.pool(2));
            JdbcRecordStore store = open.store(counting.source)
                    .purgeMargin(Duration.ofMillis(1))
                    .build();
            List<Object> sent = new ArrayList<>();
            ClaimRef claim = granted(store, request("k", "10", Duration.ofMillis(5), Requests.RETENTION));
            open.backend().passTime(Duration.ofMillis(5));
            ClaimRef newer = granted(store, request("k"));
            store.renew(newer, Requests.LEASE);
            store.settle(newer, succeeded("r"));
            store.release(claim);
            granted(store, request("short", "10", Duration.ofMillis(1), Duration.ofMillis(1)));
            open.backend().passTime(Duration.ofMillis(5));
            RecordTransaction transaction = open.transactional(TransactionSource.of(counting.source))
                    .build()
                    .begin();
            transaction.recordFirst(request("t"), Requests.FIRST, Duration.ZERO);
            transaction.complete(succeeded("t"));
            transaction.commit();
            sent.addAll(counting.parameters);
            List<Long> told =
                    List.of(claim.fence(), newer.fence(), told(open, "fence", "t"), told(open, "fence", "short"));
            assertThat(sent).hasSizeGreaterThan(50);
            assertThat(sent.stream()
                            .filter(Long.class::isInstance)
                            .map(Long.class::cast)
                            .filter(number -> number > YEAR_2000 && number < Long.MAX_VALUE)
                            // what a conditional update expects to find: fence, lease and expiry as they were read
                            .filter(number -> !told.contains(number))
                            .filter(number -> number < claim.fence() - TimeUnit.HOURS.toMicros(1)
                                    || number > claim.fence() + TimeUnit.DAYS.toMicros(2)))
                    .isEmpty();
            assertThat(sent).noneMatch(java.util.Date.class::isInstance);
        }
    }

    private static long told(TestSetup.Open open, String column, String key) {
        try (Connection connection = open.small.getConnection();
                var statement =
                        connection.prepareStatement("SELECT " + column + " FROM oncegate_record WHERE id = ?")) {
            statement.setBytes(1, Requests.id(key).toBytes());
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theSessionsZoneDoesNotCount(TestSetup setup) throws SQLException {
        try (TestSetup.Open open = setup.open();
                Connection connection = open.pool(1).getConnection()) {
            connection.setAutoCommit(true);
            String sql = Dialect.of(connection, "oncegate_record", 0).sql("SELECT {now}");
            List<Long> seconds = new ArrayList<>();
            for (String zone : List.of("+00:00", "+08:00", "-11:00", "+05:45")) {
                connection
                        .createStatement()
                        .execute(
                                setup.mysqlFamily()
                                        ? "SET time_zone = '" + zone + "'"
                                        : "SET TIME ZONE '" + zone + "'");
                seconds.add(TestSetup.number(connection, sql) / 1_000_000);
            }
            assertThat(seconds.get(3) - seconds.get(0)).isBetween(0L, 60L);
            assertThat(Math.abs(seconds.get(0) - Instant.now().getEpochSecond()))
                    .isLessThan(600);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2026-10-25 02:59:59.900000, 2026-10-25 02:00:00.100000, 0", // the hour that comes twice
        "2026-03-29 01:59:59.900000, 2026-03-29 03:00:00.100000, 0", // the hour that is left out
        "2026-06-01 12:00:00.000000, 2026-06-01 12:00:00.250000, 250000", // a statement that waited
        "2026-06-01 12:00:00.000000, 2026-06-01 11:59:59.000000, 0" // a clock that stepped back meanwhile
    })
    void aChangeOfTheZonesOffsetIsNotTakenForWaiting(String begun, String present, long micros) throws SQLException {
        try (TestSetup.Open open = TestSetup.MARIADB.open();
                Connection connection = open.small.getConnection()) {
            String waited = Dialect.of(connection, "oncegate_record", 0)
                    .sql("SELECT {now}")
                    .replace("NOW(6)", "TIMESTAMP'" + begun + "'")
                    .replace("SYSDATE(6)", "TIMESTAMP'" + present + "'")
                    .replace("UTC_TIMESTAMP(6)", "'1970-01-01'");
            assertThat(TestSetup.number(connection, waited)).isEqualTo(micros);
        }
    }

    @Test
    void theClockGoesOnWhileAStatementWaitsForItsLock() throws Exception {
        for (TestSetup setup : List.of(TestSetup.POSTGRESQL, TestSetup.MARIADB, TestSetup.MYSQL_DIALECT)) {
            try (TestSetup.Open open = setup.open();
                    Connection locker = open.database.connect()) {
                JdbcRecordStore store =
                        open.store(open.pool(1)).timeout(Duration.ofSeconds(60)).build();
                ClaimRef claim = granted(store, request("k"));
                locker.setAutoCommit(false);
                try (var statement = locker.prepareStatement("UPDATE oncegate_record SET operation = operation,"
                        + " retention = retention + 1 WHERE id = ?")) {
                    statement.setBytes(1, claim.id().toBytes());
                    statement.executeUpdate();
                }
                Duration lease = Duration.ofMinutes(1);
                Thread renewing = new Thread(() -> store.renew(claim, lease));
                renewing.start();
                open.backend().passTime(Duration.ofMillis(500)); // so that it waits when the lock is given up
                long before = open.micros();
                locker.commit();
                renewing.join();
                assertThat(told(open, "lease_end", "k")).isGreaterThanOrEqualTo(before + TimeUnit.MINUTES.toMicros(1));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aKeysBirthTimeIsJudgedWhereNoRecordAnswers(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcRecordStore store = open.store(open.pool(1)).build();
            Duration limit = Duration.ofHours(1);
            Duration tolerance = Duration.ofMinutes(1);
            Instant now = Instant.ofEpochMilli(open.micros() / 1000);
            assertThat(store.claim(born("old", now.minus(limit), limit, tolerance)))
                    .isEqualTo(new ClaimAnswer.OutOfTime(false));
            assertThat(store.claim(born("future", now.plus(tolerance).plusSeconds(60), limit, tolerance)))
                    .isEqualTo(new ClaimAnswer.OutOfTime(true));
            assertThat(store.claim(born("young", now.minusSeconds(60), limit, tolerance)))
                    .isInstanceOf(ClaimAnswer.Granted.class);
            assertThat(open.number("SELECT COUNT(*) FROM oncegate_record")).isEqualTo(1);
            ClaimRef claim = granted(store, request("kept"));
            store.settle(claim, succeeded("r"));
            assertThat(Untimed.of(store.claim(born("kept", now.minus(limit.multipliedBy(2)), limit, tolerance))))
                    .isEqualTo(Requests.replay("r"));
        }
    }

    private static ClaimRequest born(String key, Instant at, Duration limit, Duration tolerance) {
        return Requests.born(request(key), new BirthRule(at, limit, tolerance));
    }
}
