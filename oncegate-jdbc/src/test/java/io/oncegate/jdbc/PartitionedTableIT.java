package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.FIRST;
import static io.oncegate.jdbc.Requests.LEASE;
import static io.oncegate.jdbc.Requests.RETENTION;
import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.replay;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Untimed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The partitioned variants of the table: everything works on them, and a month goes by dropping its partition. */
class PartitionedTableIT {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofMillis(1);
    private static final Instant IN_DECEMBER = Instant.parse("2026-12-11T12:00:00Z");
    private static final Instant IN_JANUARY = Instant.parse("2027-01-11T12:00:00Z");

    /** What the table is divided by. */
    enum Partitions {
        BIRTH_TIME,
        DIGEST
    }

    static Stream<TestSetup> databases() {
        return Stream.of(TestSetup.POSTGRESQL, TestSetup.MARIADB);
    }

    private static TestSetup.Open partitioned(TestSetup setup, Partitions by) {
        TestSetup.Open open = setup.open();
        String name = setup.postgres() ? "postgresql" : "mariadb";
        String ddl = resource("schema-partitioned-" + name + ".sql");
        if (by == Partitions.DIGEST) {
            ddl = setup.postgres() ? byHash(ddl) : byKey(resource("schema-mariadb.sql"));
        }
        open.execute("DROP TABLE oncegate_record");
        for (String statement : ddl.replaceAll("--.*", "").split(";")) {
            if (!statement.isBlank()) {
                open.execute(statement);
            }
        }
        JdbcSchema.of(open.small).check();
        return open;
    }

    private static String byHash(String ddl) {
        StringBuilder text = new StringBuilder(ddl.substring(0, ddl.indexOf("CREATE TABLE oncegate_record_earlier"))
                .replace("RANGE (id)", "HASH (id)"));
        for (int i = 0; i < 4; i++) {
            text.append("CREATE TABLE oncegate_record_" + i
                    + " PARTITION OF oncegate_record FOR VALUES WITH (MODULUS 4, REMAINDER " + i + ");");
        }
        return text.toString();
    }

    private static String byKey(String ddl) {
        return ddl.replace("ROW_FORMAT = DYNAMIC", "ROW_FORMAT = DYNAMIC PARTITION BY KEY (id) PARTITIONS 4");
    }

    private static String resource(String name) {
        try (InputStream in = JdbcSchema.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ClaimRequest born(Instant birth) {
        return request(UuidV7.at(birth).toString(), "10", LEASE);
    }

    private static ClaimRequest request(String key, String payload, Duration lease) {
        return new ClaimRequest(
                OperationKey.of(Requests.OPERATION, Scope.global(), key).id(),
                Requests.OPERATION,
                Fingerprint.of(payload),
                AttemptId.random(),
                lease,
                RETENTION,
                0,
                null);
    }

    private static ClaimRequest anew(ClaimRequest request, Duration lease, int maxAsks) {
        return new ClaimRequest(
                request.id(),
                request.operation(),
                request.fingerprint(),
                AttemptId.random(),
                lease,
                request.retention(),
                maxAsks,
                null);
    }

    @ParameterizedTest
    @EnumSource
    void claimsWorkOnPostgres(Partitions by) throws Exception {
        claimsWork(TestSetup.POSTGRESQL, by);
    }

    @ParameterizedTest
    @EnumSource
    void claimsWorkOnMariaDb(Partitions by) throws Exception {
        claimsWork(TestSetup.MARIADB, by);
    }

    private static void claimsWork(TestSetup setup, Partitions by) throws Exception {
        try (TestSetup.Open open = partitioned(setup, by)) {
            HikariDataSource pool = open.pool(8);
            JdbcRecordStore store =
                    open.store(pool).timeout(WAIT).purgeMargin(BRIEF).build();
            for (ClaimRequest request : List.of(born(IN_DECEMBER), request("no birth time", "10", LEASE))) {
                List<ClaimAnswer> answers = Threads.together(8, number -> store.claim(anew(request, LEASE, 0)));
                assertThat(answers.stream().filter(ClaimAnswer.Granted.class::isInstance))
                        .hasSize(1);
                assertThat(answers.stream().filter(ClaimAnswer.Held.class::isInstance))
                        .hasSize(7);
            }
            ClaimRequest taken = born(IN_JANUARY);
            ClaimRequest brief = anew(taken, BRIEF, 0);
            ClaimRef lost = granted(store, brief);
            open.backend().passTime(Duration.ofMillis(5));
            ClaimRef holder = granted(store, taken);
            assertThat(store.settle(lost, succeeded("late"))).isEqualTo(HolderAnswer.LOST);
            assertThat(store.renew(holder, LEASE)).isEqualTo(HolderAnswer.DONE);
            assertThat(store.settle(holder, succeeded("r"))).isEqualTo(HolderAnswer.DONE);
            assertThat(Untimed.of(store.claim(anew(taken, LEASE, 0)))).isEqualTo(replay("r"));
            ClaimRequest other = new ClaimRequest(
                    taken.id(), taken.operation(), Fingerprint.of("99"), AttemptId.random(), LEASE, RETENTION, 0, null);
            assertThat(store.claim(other)).isInstanceOf(ClaimAnswer.Mismatch.class);

            ClaimRequest unknown = born(IN_DECEMBER);
            store.settle(granted(store, unknown), Settlement.unknown(RETENTION, Duration.ZERO));
            assertThat(store.claim(anew(unknown, LEASE, 3))).isInstanceOf(ClaimAnswer.Reconcile.class);
            assertThat(store.browse(new RecordBrowser.Query(null, null, 10, null))
                            .entries())
                    .hasSize(4);

            ClaimRequest gone = born(IN_DECEMBER);
            store.settle(granted(store, gone), new Settlement(FIRST.state(), null, BRIEF, BRIEF));
            open.backend().passTime(Duration.ofMillis(5));
            assertThat(store.purge(100).deleted()).isEqualTo(1);
            assertThat(store.find(gone.id())).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void sameTransactionModeWorks(TestSetup setup) throws Exception {
        for (Partitions by : Partitions.values()) {
            try (TestSetup.Open open = partitioned(setup, by)) {
                TransactionalRecordStore store =
                        open.transactional(TransactionSource.of(open.pool(8))).build();
                ClaimRequest request = born(IN_DECEMBER);
                RecordTransaction undone = store.begin();
                assertThat(undone.recordFirst(request, FIRST, WAIT)).isInstanceOf(ClaimAnswer.Granted.class);
                undone.rollback();
                List<ClaimAnswer> answers = Threads.together(8, number -> runOrLearn(store, anew(request, LEASE, 0)));
                assertThat(answers.stream().filter(ClaimAnswer.Granted.class::isInstance))
                        .hasSize(1);
                assertThat(answers.stream().map(Untimed::of).filter(replay("r")::equals))
                        .hasSize(7);
                assertThat(open.businessRows("row")).isEqualTo(1);
            }
        }
    }

    private static ClaimAnswer runOrLearn(TransactionalRecordStore store, ClaimRequest request) {
        while (true) {
            RecordTransaction transaction = store.begin();
            try {
                ClaimAnswer answer = transaction.recordFirst(request, FIRST, WAIT);
                if (answer instanceof ClaimAnswer.Granted) {
                    TestSetup.insertBusiness(transaction.unwrap(Connection.class), "row");
                    transaction.complete(succeeded("r"));
                    transaction.commit();
                    return answer;
                }
                transaction.rollback();
                if (!(answer instanceof ClaimAnswer.Held)) {
                    return answer;
                }
            } catch (io.oncegate.core.spi.TransactionDeadException e) {
                transaction.rollback();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aMonthWhoseRecordsAreAllOverGoesByDroppingItsPartition(TestSetup setup) {
        try (TestSetup.Open open = partitioned(setup, Partitions.BIRTH_TIME)) {
            JdbcRecordStore store = open.store(open.pool(2)).timeout(WAIT).build();
            for (int i = 0; i < 20; i++) {
                store.settle(granted(store, born(IN_DECEMBER)), new Settlement(FIRST.state(), null, BRIEF, BRIEF));
            }
            ClaimRequest unknown = born(IN_DECEMBER);
            store.settle(granted(store, unknown), Settlement.unknown(BRIEF, Duration.ZERO));
            ClaimRequest next = born(IN_JANUARY);
            store.settle(granted(store, next), succeeded("r"));
            ClaimRequest digest = request("no birth time " + UUID.randomUUID(), "10", LEASE);
            store.settle(granted(store, digest), succeeded("r"));
            open.backend().passTime(Duration.ofMillis(5));

            String december = setup.postgres() ? "oncegate_record_2026_12" : "oncegate_record PARTITION (m2026_12)";
            assertThat(stillNeeded(open, december)).as("an unknown outcome").isEqualTo(1);
            store.forget(unknown.id());
            open.backend().passTime(Duration.ofMillis(5));
            assertThat(stillNeeded(open, december)).isZero();
            open.execute(
                    setup.postgres()
                            ? "DROP TABLE oncegate_record_2026_12"
                            : "ALTER TABLE oncegate_record DROP PARTITION m2026_12");
            assertThat(store.find(unknown.id())).isEmpty();
            assertThat(Untimed.of(store.claim(anew(next, LEASE, 0)))).isEqualTo(replay("r"));
            assertThat(Untimed.of(store.claim(anew(digest, LEASE, 0)))).isEqualTo(replay("r"));
            assertThat(open.number("SELECT COUNT(*) FROM oncegate_record")).isEqualTo(2);
        }
    }

    /** How many records of a partition may not go yet; the margin is left out here. */
    private static long stillNeeded(TestSetup.Open open, String partition) {
        long now = open.micros();
        return open.number(
                "SELECT COUNT(*) FROM " + partition + " WHERE state = 4 OR expires_at > " + now + " OR fence > " + now);
    }
}
