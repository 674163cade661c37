package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_READ_COMMITTED;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_REPEATABLE_READ;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.error.StaleVersionException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.VersionedUpdate;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.OptimisticLockingFailureException;

/** Versioned updates and retries for users of JdbcTemplate and JdbcClient. */
class SpringVersionedUpdateIT {
    private static final RetryPolicy PATIENT =
            new RetryPolicy(1000, Duration.ofMillis(1), Duration.ofMillis(30), Duration.ofMinutes(2));
    private static final Operation<Long> ADD = Operation.named("seat.add")
            .returning(Long.class)
            .waitUpTo(Duration.ofMinutes(1))
            .build();

    private record Seat(long amount, long version) {}

    private static long addOne(DataSetup setup) {
        Seat seat = setup.jdbc
                .sql("SELECT amount, version FROM seat WHERE id = 1")
                .query((row, number) -> new Seat(row.getLong(1), row.getLong(2)))
                .single();
        return setup.seats.update(1L, seat.version(), Map.of("amount", seat.amount() + 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C55: 20 threads add one, each request twice, each try in a fresh transaction: the total is 20")
    void eachRequestIsAppliedOnce(Databases kind) throws Exception {
        try (DataSetup setup = new DataSetup(kind, 8);
                Oncegate once = Oncegate.sameTransaction(JdbcTransactionalRecordStore.builder(
                                        new SpringTransactionSource(setup.manager, setup.pool))
                                .build())
                        .build()) {
            FreshTransactions transactions =
                    new FreshTransactions(setup.manager, PATIENT, setup.isolated(ISOLATION_REPEATABLE_READ));
            ExecutorService threads = Executors.newFixedThreadPool(40);
            List<Future<Long>> futures = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String request = "request " + i / 2;
                futures.add(threads.submit(() -> transactions.run(() -> once.<Long, RuntimeException>run(
                                ADD.call(Scope.of("alice"), request, Fingerprint.none()), claim -> addOne(setup))
                        .orElseThrow())));
            }
            for (int i = 0; i < 40; i += 2) {
                assertThat(futures.get(i).get(2, TimeUnit.MINUTES))
                        .isEqualTo(futures.get(i + 1).get(2, TimeUnit.MINUTES));
            }
            threads.shutdown();
            assertThat(setup.count("SELECT amount FROM seat WHERE id = 1")).isEqualTo(20);
            assertThat(setup.count("SELECT version FROM seat WHERE id = 1")).isEqualTo(20);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName(
            "C52, C54, C55: conflicts are typed, a missing version is refused, and no try begins inside a transaction")
    void conflictsAreTyped(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 2)) {
            assertThat(setup.seats.update(1L, 0L, Map.of("amount", 5L))).isEqualTo(1);
            assertThatThrownBy(() -> setup.seats.update(1L, 0L, Map.of("amount", 6L)))
                    .isInstanceOf(StaleVersionException.class);
            assertThatIllegalArgumentException().isThrownBy(() -> setup.seats.update(1L, null, Map.of("amount", 6L)));
            VersionedUpdate.Row fresh = new VersionedUpdate.Row(2L, 0L, Map.of("amount", 1L));
            VersionedUpdate.Row stale = new VersionedUpdate.Row(1L, 0L, Map.of("amount", 1L));
            assertThatThrownBy(() -> setup.seats.updateAll(List.of(fresh))).isInstanceOf(IllegalStateException.class);
            FreshTransactions transactions = new FreshTransactions(setup.manager, PATIENT.withAttempts(3));
            AtomicInteger tries = new AtomicInteger();
            assertThatThrownBy(() -> transactions.run(() -> {
                        tries.incrementAndGet();
                        setup.seats.updateAll(List.of(fresh, stale));
                    }))
                    .isInstanceOf(StaleVersionException.class)
                    .hasMessageContaining("row 1 of the batch");
            assertThat(tries).hasValue(3);
            assertThat(setup.count("SELECT version FROM seat WHERE id = 2")).isZero();
            assertThat(transactions.run(() -> setup.seats.updateAll(List.of(fresh))))
                    .containsExactly(1L);

            setup.transaction(ISOLATION_READ_COMMITTED).executeWithoutResult(status -> {
                assertThatThrownBy(() -> transactions.run(() -> setup.note("never")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("no try could be fresh");
                setup.note("outer");
            });
            assertThat(setup.count("SELECT COUNT(*) FROM note WHERE text = 'outer'"))
                    .isEqualTo(1);
            assertThat(setup.count("SELECT COUNT(*) FROM note")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2"})
    void onlyWhatAFreshTryMayMendIsTriedAgain(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 2)) {
            FreshTransactions transactions = new FreshTransactions(setup.manager, PATIENT.withAttempts(3));
            for (RuntimeException failure : List.of(
                    new OptimisticLockingFailureException("stale"), StaleVersionException.stale("seat", 1, 2))) {
                AtomicInteger tries = new AtomicInteger();
                transactions.run(() -> {
                    setup.note("try");
                    if (tries.incrementAndGet() < 3) {
                        throw failure;
                    }
                });
                assertThat(tries).hasValue(3);
            }
            assertThat(setup.count("SELECT COUNT(*) FROM note")).isEqualTo(2);
            for (RuntimeException failure :
                    List.of(new IllegalStateException("no"), StaleVersionException.gone("seat", 1))) {
                AtomicInteger tries = new AtomicInteger();
                assertThatThrownBy(() -> transactions.run(() -> {
                            tries.incrementAndGet();
                            throw failure;
                        }))
                        .isSameAs(failure);
                assertThat(tries).hasValue(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2"})
    @DisplayName(
            "C52: in the transaction of another data source, whose commit would not write it, it is refused and not lost")
    void aTransactionOfAnotherDataSourceIsRefused(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 2);
                DataSetup other = new DataSetup(kind, 2)) {
            SpringVersionedUpdate seats = new SpringVersionedUpdate(
                    other.database.pool(1, false), VersionedUpdate.of("seat", "version", "id"));
            assertThatThrownBy(() -> setup.transaction(ISOLATION_READ_COMMITTED)
                            .executeWithoutResult(status -> seats.update(1L, 0L, Map.of("amount", 5L))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no transaction is open on this data source");
            assertThatThrownBy(() -> seats.update(1L, 0L, Map.of("amount", 5L)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
