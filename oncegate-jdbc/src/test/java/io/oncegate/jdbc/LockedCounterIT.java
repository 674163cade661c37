package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A counter row that is read, added to and written under a lock, by way of what users hold in their hands. */
class LockedCounterIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    private static void addOne(Connection connection) throws Exception {
        long amount = TestSetup.number(connection, "SELECT amount FROM business_row WHERE name = 'counter'");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE business_row SET amount = " + (amount + 1) + " WHERE name = 'counter'");
        }
    }

    private static void addOneUnfenced(DataSource dataSource) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            addOne(connection);
            connection.commit();
        }
    }

    private static void addOneFenced(HeldLock lock, FenceTable fences, DataSource dataSource) throws Exception {
        // snippet: fence
        // before the business begins: from now on all older holders are refused
        fences.raise(dataSource, lock.key(), lock.fence());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            // once more, before the writes: nobody newer can come between it and the commit
            fences.raise(connection, lock.key(), lock.fence());
            addOne(connection);
            connection.commit();
        }
        // end snippet
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("C07: with the lock outside the transaction, 50 threads that read, add and write lose nothing")
    void lockOutsideTheTransaction(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            open.execute("INSERT INTO business_row (name, amount) VALUES ('counter', 0)");
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            DataSource business = open.pool(8);
            LockScene scene = new LockScene(open);
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            try (Locks one = LeasedLocks.of(
                            open.locks(open.pool(4)).timeout(LIMIT).build());
                    Locks two = LeasedLocks.of(
                            open.locks(open.pool(4)).timeout(LIMIT).build())) {
                List<LockRelease> ends = Threads.together(50, number -> {
                    try (HeldLock lock = (number % 2 == 0 ? one : two)
                            .acquire(scene.key, LockOptions.untilDone(), LIMIT)
                            .orElseThrow()) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        if (number % 5 == 0) {
                            addOneFenced(lock, fences, business);
                        } else {
                            addOneUnfenced(business); // nothing but the lock guards it
                        }
                        inside.decrementAndGet();
                        return lock.complete(null);
                    }
                });
                assertThat(ends).containsOnly(LockRelease.DONE);
            }
            assertThat(open.number("SELECT amount FROM business_row WHERE name = 'counter'"))
                    .isEqualTo(50);
            assertThat(most).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName(
            "C11: work longer than the lease keeps the lock where it is renewed; else it is told so, and its write refused")
    void workLongerThanTheLease(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            List<LockEvent.Kind> events = new CopyOnWriteArrayList<>();
            LockOptions options = LockOptions.untilDone().lease(Duration.ofMillis(500));
            LockScene scene = new LockScene(open);
            try (Locks one = LeasedLocks.builder(open.locks(open.pool(2)).build())
                            .listener(event -> events.add(event.kind()))
                            .build();
                    Locks two = LeasedLocks.of(open.locks(open.pool(2)).build())) {
                LockOptions calm = options.lease(Duration.ofSeconds(4));
                HeldLock renewed = one.tryAcquire(scene.key, calm).orElseThrow();
                scene.awaitLeaseEnd(scene.column("lease_end"));
                assertThat(two.tryAcquire(scene.key, calm)).isInstanceOf(Acquisition.Refused.class);
                assertThat(renewed.complete(null)).isEqualTo(LockRelease.DONE);

                HeldLock overrun =
                        one.tryAcquire(scene.key, options.notRenewed()).orElseThrow();
                fences.raise(open.small, scene.key, overrun.fence());
                HeldLock next =
                        two.acquire(scene.key, LockOptions.untilDone(), LIMIT).orElseThrow();
                fences.raise(open.small, scene.key, next.fence());
                try (Connection connection = open.database.connect()) {
                    connection.setAutoCommit(false);
                    TestSetup.insertBusiness(connection, "late");
                    assertThatThrownBy(() -> fences.raise(connection, scene.key, overrun.fence()))
                            .isInstanceOf(StaleFenceException.class);
                    connection.rollback();
                }
                assertThat(open.businessRows("late")).isZero();
                assertThat(overrun.isHeld()).isFalse();
                assertThat(overrun.complete(null)).isEqualTo(LockRelease.LOST);
                Await.until("told", LIMIT, () -> events.contains(LockEvent.Kind.LOST));
                assertThat(next.complete(null)).isEqualTo(LockRelease.DONE);
            }
        }
    }
}
