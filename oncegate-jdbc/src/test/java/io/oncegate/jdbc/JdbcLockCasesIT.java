package io.oncegate.jdbc;

import static io.oncegate.jdbc.LockScene.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Locks in a database: the table, the statements, the purge, and transactions of the caller's. */
class JdbcLockCasesIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theTablesAreChecked(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            for (JdbcSchema schema : new JdbcSchema[] {
                JdbcSchema.locks(open.small), JdbcSchema.fences(open.small), JdbcSchema.locks(open.small, "door_locks")
            }) {
                assertThatThrownBy(schema::check).isInstanceOf(SchemaException.class);
                schema.create();
                schema.check();
            }
            open.execute("ALTER TABLE oncegate_lock DROP COLUMN attempt");
            assertThatThrownBy(() -> JdbcSchema.locks(open.small).check())
                    .hasMessageContaining("the column attempt")
                    .hasMessageContaining("io/oncegate/jdbc/locks-");
            LockScene scene = new LockScene(open);
            assertThatThrownBy(() -> open.locks(open.pool(1)).build().acquire(scene.request(LONG)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageNotContaining(scene.key.value());
            assertThatThrownBy(() -> JdbcLockStore.builder(open.small).table("a b"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER", "MYSQL_DIALECT_BY_MARIADB_DRIVER"})
    void acquiringAndEndingAreOneRoundTripEachAndALoserTakesTwo(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            CountingSource counting = new CountingSource(open.pool(1));
            JdbcLockStore store = open.locks(counting.source).build();
            LockScene scene = new LockScene(open);
            scene.granted(store, new LockScene(open).request(LONG));
            counting.drain();

            ClaimRef first = scene.granted(store, scene.request(LONG));
            assertThat(counting.drain()).as("a new key").hasSize(1);
            assertThat(store.acquire(scene.request(LONG))).isInstanceOf(LockAnswer.Held.class);
            assertThat(counting.drain()).as("held").hasSize(2);
            store.renew(first, LONG);
            assertThat(counting.drain()).as("renew").hasSize(1);
            LockRequest next = scene.request(LONG);
            ClaimRef second = new ClaimRef(scene.id, store.pass(first, next).orElseThrow(), next.attempt());
            assertThat(counting.drain()).as("pass").hasSize(1);
            assertThat(store.end(second, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
            assertThat(counting.drain()).as("end").hasSize(1);
            scene.granted(store, scene.request(LONG));
            assertThat(counting.drain()).as("a known key").hasSize(1);
            assertThat(store.end(second, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
            assertThat(counting.drain()).as("lost").hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPurgeTakesWhatCountsNoMoreAndLeavesTheRest(TestSetup setup) throws SQLException {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            JdbcLockStore store =
                    open.locks(open.pool(2)).purgeMargin(Duration.ofMillis(1)).build();
            LockScene held = new LockScene(open);
            LockScene windowed = new LockScene(open);
            LockScene used = new LockScene(open);
            ClaimRef holder = held.granted(store, held.request(LONG));
            ClaimRef done = windowed.granted(store, LockRequest.of(windowed.id, "order.create", LONG, LONG));
            store.end(done, new LockEnd(true, null, Duration.ofSeconds(1)));
            for (int i = 0; i < 6; i++) {
                LockScene over = new LockScene(open);
                store.end(over.granted(store, over.request(LONG)), LockEnd.released());
            }
            store.end(used.granted(store, used.request(LONG)), LockEnd.released());
            open.backend().passTime(Duration.ofMillis(3));
            try (Connection locker = used.lockedRow()) {
                int all = 0;
                for (int gone = store.purge(4); gone > 0; gone = store.purge(4)) {
                    assertThat(gone).isLessThanOrEqualTo(4);
                    all += gone;
                }
                assertThat(all).isEqualTo(6);
                locker.rollback();
            }
            assertThat(open.lockRows(used.id)).as("locked by somebody").isEqualTo(1);
            assertThat(open.lockRows(windowed.id)).as("its window is open").isEqualTo(1);
            assertThat(store.renew(holder, LONG)).isEqualTo(HolderAnswer.DONE);
            assertThatThrownBy(() -> store.purge(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C99: inside a caller's transaction a lock is refused at once, and no pool is used up")
    void insideACallersTransactionItIsRefusedAtOnceAndNoPoolIsUsedUp(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open();
                HikariDataSource pool = open.pool(1)) {
            JdbcSchema.locks(open.small).create();
            AtomicBoolean inTransaction = new AtomicBoolean();
            Thread caller = Thread.currentThread();
            CountingSource counting = new CountingSource(pool);
            LockScene scene = new LockScene(open);
            JdbcLockStore.Builder builder = open.locks(counting.source)
                    .callerTransactions(() -> inTransaction.get() && Thread.currentThread() == caller);
            try (Locks locks = LeasedLocks.of(builder.build());
                    Locks others = LeasedLocks.of(open.locks(open.small).build())) {
                HeldLock before =
                        locks.tryAcquire(scene.key, LockOptions.untilDone()).orElseThrow();
                LockScene inner = new LockScene(open);
                try (Connection callers = pool.getConnection()) {
                    callers.setAutoCommit(false);
                    TestSetup.insertBusiness(callers, "b");
                    inTransaction.set(true);
                    counting.drain();
                    assertThatThrownBy(() -> locks.tryAcquire(inner.key, LockOptions.untilDone()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("before the transaction begins")
                            .hasMessageContaining("secondConnection(true)");
                    assertThatThrownBy(before::renew).isInstanceOf(IllegalStateException.class);
                    assertThat(before.release()).isEqualTo(LockRelease.UNKNOWN);
                    callers.commit();
                    callers.setAutoCommit(true);
                    inTransaction.set(false);
                }
                // ended in the background, as soon as there is a connection again
                Await.until("the lock's end", Duration.ofSeconds(60), () -> scene.column("lease_end") == 0);
                assertThat(locks.tryAcquire(inner.key, LockOptions.untilDone())
                                .orElseThrow()
                                .release())
                        .isEqualTo(LockRelease.DONE);
                assertThat(others.tryAcquire(scene.key, LockOptions.untilDone())
                                .orElseThrow()
                                .release())
                        .isEqualTo(LockRelease.DONE);
            }
            inTransaction.set(true);
            JdbcLockStore allowed = builder.secondConnection(true).build();
            scene.granted(allowed, scene.request(LONG));
        }
    }
}
