package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_DEFAULT;

import io.lettuce.core.RedisClient;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Many callers whose transactions hold all connections of the pool, and ask the toolkit for something in them. */
@DisplayName("C99: callers inside outer transactions on a small pool")
class SmallPoolIT {
    private static final int CALLERS = 50;
    private static final int SIZE = 10;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Operation<String> AT_ONCE = noting().build();
    private static final Operation<String> PATIENT = noting().waitUpTo(LIMIT).build();

    private static RedisClient client;
    private static RedisBackend redis;

    @BeforeAll
    static void openRedis() {
        client = RedisClient.create();
        redis = RedisBackend.connecting(
                client, RedisServers.standalone().uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
    }

    @AfterAll
    static void closeRedis() {
        redis.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    /** An engine that joins the callers' transactions. */
    enum Mode {
        SAME_TRANSACTION,
        LADDER;

        Oncegate on(DataSetup setup) {
            TransactionalRecordStore judge = JdbcTransactionalRecordStore.builder(
                            new SpringTransactionSource(setup.manager, setup.pool))
                    .build();
            return (this == LADDER
                            ? Oncegate.ladder(new RedisRecordStore(redis), judge)
                            : Oncegate.sameTransaction(judge))
                    .build();
        }
    }

    private static Operation.Builder<String> noting() {
        return Operation.named("note").returning(String.class).lease(Duration.ofMinutes(2));
    }

    private static Outcome<String> note(DataSetup setup, Oncegate once, Operation<String> operation, String key) {
        return once.run(operation.call(Scope.of("u"), key, Fingerprint.none()), claim -> {
            setup.note(key);
            return "noted";
        });
    }

    private static void assertNotes(DataSetup setup, int notes) {
        assertThat(setup.count("SELECT COUNT(*) FROM note")).isEqualTo(notes);
        assertThat(setup.count("SELECT COUNT(DISTINCT text) FROM note")).isEqualTo(notes);
    }

    private static long executed(List<Outcome<String>> outcomes) {
        return outcomes.stream().filter(Outcome.Executed.class::isInstance).count();
    }

    private static String unique(int number) {
        return number + "-" + UUID.randomUUID();
    }

    private static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(SmallPoolIT::unique).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, SAME_TRANSACTION, 10",
        "POSTGRESQL, LADDER, 10",
        "POSTGRESQL, SAME_TRANSACTION, 1",
        "POSTGRESQL, LADDER, 1",
        "MARIADB, SAME_TRANSACTION, 10",
        "MARIADB, LADDER, 10",
        "MARIADB, LADDER, 1"
    })
    @DisplayName("twins that join the callers' transactions all finish, one of each two with the effect")
    void twinsInsideAllFinish(Databases kind, Mode mode, int size) throws Exception {
        try (DataSetup setup = new DataSetup(kind, size);
                Oncegate once = mode.on(setup)) {
            TransactionTemplate outer = setup.transaction(ISOLATION_DEFAULT);
            List<String> keys = keys(CALLERS / 2);
            List<Outcome<String>> outcomes = Callers.together(
                    CALLERS, number -> outer.execute(status -> note(setup, once, PATIENT, keys.get(number / 2))));
            assertThat(outcomes)
                    .allSatisfy(outcome ->
                            assertThat(outcome).isInstanceOfAny(Outcome.Executed.class, Outcome.Replayed.class));
            assertThat(executed(outcomes)).isEqualTo(CALLERS / 2);
            assertNotes(setup, CALLERS / 2);
            Callers.assertWhole(setup.pool);
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, SAME_TRANSACTION", "POSTGRESQL, LADDER", "MARIADB, LADDER"})
    @DisplayName("one twin inside and one outside, who waits for a connection: all finish, or are told that it is held")
    void twinsInsideAndOutside(Databases kind, Mode mode) throws Exception {
        try (DataSetup setup = new DataSetup(kind, SIZE);
                Oncegate once = mode.on(setup)) {
            TransactionTemplate outer = setup.transaction(ISOLATION_DEFAULT);
            List<String> keys = keys(CALLERS / 2);
            List<Outcome<String>> outcomes = Callers.together(CALLERS, number -> {
                String key = keys.get(number / 2);
                return number % 2 == 0
                        ? outer.execute(status -> note(setup, once, AT_ONCE, key))
                        : note(setup, once, AT_ONCE, key);
            });
            assertThat(outcomes)
                    .allSatisfy(outcome -> assertThat(outcome)
                            .isInstanceOfAny(Outcome.Executed.class, Outcome.Replayed.class, Outcome.Held.class));
            assertThat(executed(outcomes)).isEqualTo(CALLERS / 2);
            assertNotes(setup, CALLERS / 2);
            Callers.assertWhole(setup.pool);
        }
    }

    private static String lockAndRelease(Locks locks, int number) {
        OperationKey key = OperationKey.of("pay", Scope.of("u"), unique(number));
        assertThat(locks.tryAcquire(key, LockOptions.untilDone()).orElseThrow().release())
                .isEqualTo(LockRelease.DONE);
        return "locked";
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("locks are refused at once inside, and with a pool of their own all finish")
    void locksInside(Databases kind) throws Exception {
        try (DataSetup setup = new DataSetup(kind, SIZE);
                Locks refusing = LeasedLocks.of(JdbcLockStore.builder(setup.pool)
                        .callerTransactions(OpenTransactions.on(setup.pool))
                        .build());
                Locks apart = LeasedLocks.of(JdbcLockStore.builder(setup.database.pool(2, true))
                        .callerTransactions(OpenTransactions.on(setup.pool))
                        .secondConnection(true)
                        .build())) {
            JdbcSchema.locks(setup.pool).create();
            TransactionTemplate outer = setup.transaction(ISOLATION_DEFAULT);
            List<String> ends = Callers.together(
                    CALLERS,
                    number -> outer.execute(status -> {
                        String refused =
                                Callers.failureOf(() -> lockAndRelease(refusing, number), IllegalStateException.class);
                        return refused + ", then " + lockAndRelease(apart, number);
                    }));
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end)
                            .contains("do it before the transaction begins")
                            .endsWith(", then locked"));
            Callers.assertWhole(setup.pool);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("locks that take a second connection of the same, empty pool: a typed error after the pool's time-out")
    void locksOnTheSamePool(Databases kind) throws Exception {
        try (DataSetup setup = new DataSetup(kind, SIZE, Duration.ofSeconds(1));
                Locks locks = LeasedLocks.of(
                        JdbcLockStore.builder(setup.pool).secondConnection(true).build())) {
            JdbcSchema.locks(setup.pool).create();
            TransactionTemplate outer = setup.transaction(ISOLATION_DEFAULT);
            CyclicBarrier empty = new CyclicBarrier(SIZE);
            List<String> ends = Callers.together(
                    SIZE,
                    number -> outer.execute(status -> {
                        Callers.await(empty);
                        return Callers.failureOf(() -> lockAndRelease(locks, number), StoreUnavailableException.class);
                    }));
            assertThat(ends).anySatisfy(end -> assertThat(end).isNotEqualTo("locked"));
            Callers.assertWhole(setup.pool);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("locks that take a second connection finish where the pool has one more than callers inside")
    void locksOnALargerPool(Databases kind) throws Exception {
        try (DataSetup setup = new DataSetup(kind, SIZE);
                Locks locks = LeasedLocks.of(
                        JdbcLockStore.builder(setup.pool).secondConnection(true).build())) {
            JdbcSchema.locks(setup.pool).create();
            TransactionTemplate outer = setup.transaction(ISOLATION_DEFAULT);
            CyclicBarrier inside = new CyclicBarrier(SIZE - 1);
            assertThat(Callers.together(
                            SIZE - 1,
                            number -> outer.execute(status -> {
                                Callers.await(inside);
                                return lockAndRelease(locks, number);
                            })))
                    .containsOnly("locked");
            Callers.assertWhole(setup.pool);
        }
    }
}
