package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.jdbc.FenceColumn;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks in a database and their fences, beside and within transactions of Spring's. */
class SpringLockIT {
    private static final OperationKey KEY = OperationKey.of("pay", Scope.of("u"), "k");

    static Stream<Arguments> setups() {
        return Stream.of(
                Arguments.of(Databases.H2, false),
                Arguments.of(Databases.POSTGRESQL, true),
                Arguments.of(Databases.POSTGRESQL, false),
                Arguments.of(Databases.MARIADB, true));
    }

    private static JdbcLockStore.Builder store(SpringSetup setup) {
        return JdbcLockStore.builder(setup.pool).callerTransactions(OpenTransactions.on(setup.pool));
    }

    @ParameterizedTest
    @MethodSource("setups")
    void inATransactionALockIsRefusedAtOnceAndAPoolOfOneIsNotUsedUp(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1);
                Locks locks = LeasedLocks.of(store(setup).build())) {
            JdbcSchema.locks(setup.pool).create();
            TransactionTemplate transaction = new TransactionTemplate(setup.manager);
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        setup.shop.pay("p", 1);
                        locks.tryAcquire(KEY, LockOptions.untilDone());
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("before the transaction begins");
            assertThat(setup.shop.payments()).isZero();

            HeldLock lock = locks.tryAcquire(KEY, LockOptions.untilDone()).orElseThrow();
            transaction.executeWithoutResult(status -> {
                setup.shop.pay("p", 1);
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int completion) {
                        // the connection is not back yet; the end follows as soon as it is
                        assertThat(lock.complete(null)).isEqualTo(LockRelease.UNKNOWN);
                    }
                });
            });
            Await.until(
                    "the lock's end",
                    Duration.ofSeconds(60),
                    () -> locks.tryAcquire(KEY, LockOptions.untilDone())
                                    .orElseThrow()
                                    .release()
                            == LockRelease.DONE);
            assertThat(setup.shop.payments()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void aFenceIsRaisedInTheCurrentTransactionAndTakesNoSecondConnection(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            JdbcSchema.fences(setup.pool).create();
            SpringFences fences = new SpringFences(new TransactionAwareDataSourceProxy(setup.pool));
            TransactionTemplate transaction = new TransactionTemplate(setup.manager);
            assertThatThrownBy(() -> fences.raise(KEY, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Transactional");
            fences.raiseFirst(KEY, 5);
            transaction.executeWithoutResult(status -> {
                fences.raise(KEY, 5);
                setup.shop.pay("in time", 1);
                assertThatThrownBy(() -> fences.raiseFirst(KEY, 6)).isInstanceOf(IllegalStateException.class);
            });
            fences.raiseFirst(KEY, 6);
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        setup.shop.pay("late", 1);
                        fences.raise(KEY, 5);
                    }))
                    .isInstanceOf(StaleFenceException.class);
            assertThat(setup.shop.payments()).isEqualTo(1);
            assertThat(OpenTransactions.on(setup.pool).getAsBoolean()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void aFenceColumnIsWrittenInTheCurrentTransactionOrAlone(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            JdbcTemplate jdbc = new JdbcTemplate(setup.pool);
            setup.shop.pay("p", 1);
            jdbc.execute("ALTER TABLE payment ADD COLUMN guard BIGINT");
            FenceColumn guard = FenceColumn.of("payment", "id", "guard");
            SpringFences fences = new SpringFences(setup.pool);
            TransactionTemplate transaction = new TransactionTemplate(setup.manager);
            assertThat(fences.update(guard, KEY, 5, "p", Map.of("amount", 5))).isTrue();
            assertThat(fences.update(guard, KEY, 5, "q", Map.of("amount", 5))).isFalse();
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.update("INSERT INTO payment (id, amount) VALUES ('q', 1)");
                        fences.update(guard, KEY, 4, "p", Map.of("amount", 4));
                    }))
                    .isInstanceOf(StaleFenceException.class);
            assertThat(setup.shop.payments()).isEqualTo(1);
            transaction.executeWithoutResult(status -> fences.update(guard, KEY, 6, "p", Map.of("amount", 6)));
            assertThat(jdbc.queryForObject("SELECT amount FROM payment", Integer.class))
                    .isEqualTo(6);

            SpringFences unsaved = new SpringFences(setup.database.pool(1, false));
            assertThatThrownBy(() -> unsaved.update(guard, KEY, 7, "p", Map.of("amount", 7)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the write would be lost");
        }
    }
}
