package io.oncegate.jdbc;

import static io.oncegate.jdbc.LockScene.LONG;
import static io.oncegate.jdbc.LockScene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The database's clock decides the lock, as it is once the row is locked, and no other clock. */
class JdbcLockClockIT {
    /** No node's clock is before this, and no duration that a store sends is as long. */
    private static final long YEAR_2000 = 946_684_800_000_000L;

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    /** Long enough for a statement to be on its way before it is over. */
    private static final Duration LEASE = Duration.ofSeconds(1);

    private static JdbcLockStore store(TestSetup.Open open) {
        return open.locks(open.pool(2)).timeout(Duration.ofSeconds(30)).build();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C18: a node's clock, however wrong, is never sent to the database")
    void noStatementIsGivenATime(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            LockScene scene = new LockScene(open);
            CountingSource counting = new CountingSource(open.pool(2));
            JdbcLockStore store = open.locks(counting.source).build();
            ClaimRef first = scene.granted(store, scene.request(LONG));
            assertThat(store.acquire(scene.request(LONG))).isInstanceOf(LockAnswer.Held.class);
            assertThat(store.renew(first, LONG)).isEqualTo(HolderAnswer.DONE);
            LockRequest next = scene.request(LONG);
            long second = store.pass(first, next).orElseThrow();
            ClaimRef held = new ClaimRef(scene.id, second, next.attempt());
            assertThat(store.end(held, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
            store.acquire(LockRequest.of(scene.id, "order.create", LONG, LONG));
            store.purge(10);

            List<Long> told = List.of(first.fence(), second);
            assertThat(counting.parameters).hasSizeGreaterThan(30);
            assertThat(counting.parameters.stream()
                            .filter(Long.class::isInstance)
                            .map(Long.class::cast)
                            .filter(number -> number > YEAR_2000 && number < Long.MAX_VALUE)
                            .filter(number -> !told.contains(number)))
                    .isEmpty();
            assertThat(counting.parameters).noneMatch(java.util.Date.class::isInstance);
            assertThat(counting.parameters).noneMatch(java.time.temporal.Temporal.class::isInstance);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C18: a node that was frozen between building and executing its statement does not hold what is another's")
    void aFrozenStatementMeetsTheLockAsItIs(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            LockScene scene = new LockScene(open);
            Pausing pausing = new Pausing(open.pool(2));
            JdbcLockStore frozen =
                    open.locks(pausing.source).timeout(Duration.ofSeconds(60)).build();
            JdbcLockStore other = store(open);
            ClaimRef first = scene.granted(frozen, scene.request(SHORT));
            long leaseEnd = scene.column("lease_end");
            pausing.arm();
            CompletableFuture<HolderAnswer> renewal = CompletableFuture.supplyAsync(() -> frozen.renew(first, LONG));
            pausing.awaitFrozen();
            scene.awaitLeaseEnd(leaseEnd);
            ClaimRef second = scene.granted(other, scene.request(LONG));
            pausing.thaw();

            assertThat(renewal.get(60, TimeUnit.SECONDS)).isEqualTo(HolderAnswer.LOST);
            assertThat(frozen.acquire(scene.request(LONG))).isInstanceOf(LockAnswer.Held.class);
            assertThat(frozen.end(first, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
            assertThat(second.fence()).isGreaterThan(first.fence());
            assertThat(other.renew(second, LONG)).isEqualTo(HolderAnswer.DONE);
        }
    }

    /** H2 is left out: its clock stands still within a statement, which makes it the more careful one. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL_DIALECT"})
    @DisplayName(
            "C18: a statement that had to wait for the row longer than the lease goes by the time at which it got it")
    void theClockIsReadOnceTheRowIsLocked(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            LockScene scene = new LockScene(open);
            JdbcLockStore store = store(open);
            JdbcLockStore other = store(open);
            ClaimRef first = scene.granted(store, scene.request(LEASE));
            long leaseEnd = scene.column("lease_end");
            CompletableFuture<HolderAnswer> renewal;
            try (Connection locker = scene.lockedRow()) {
                renewal = CompletableFuture.supplyAsync(() -> store.renew(first, LONG));
                scene.awaitLeaseEnd(leaseEnd);
                locker.rollback();
            }
            assertThat(renewal.get(60, TimeUnit.SECONDS)).isEqualTo(HolderAnswer.LOST);

            ClaimRef second = scene.granted(store, scene.request(LEASE));
            leaseEnd = scene.column("lease_end");
            CompletableFuture<ClaimRef> takeover;
            long released;
            try (Connection locker = scene.lockedRow()) {
                takeover = CompletableFuture.supplyAsync(() -> scene.granted(other, scene.request(LONG)));
                scene.awaitLeaseEnd(leaseEnd);
                released = open.micros();
                locker.rollback();
            }
            ClaimRef third = takeover.get(60, TimeUnit.SECONDS);
            assertThat(third.fence()).isGreaterThanOrEqualTo(released);
            assertThat(scene.column("lease_end")).isGreaterThanOrEqualTo(released + TimeUnit.MINUTES.toMicros(10));
            assertThat(store.renew(second, LONG)).isEqualTo(HolderAnswer.LOST);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C20: leases of a millisecond, below a second and of the longest are kept as they are")
    void leasesAreKeptToTheMicrosecond(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            JdbcLockStore store = store(open);
            for (Duration lease : List.of(Duration.ofMillis(1), Duration.ofMillis(500), LockOptions.MAX_LEASE)) {
                LockScene scene = new LockScene(open);
                scene.granted(store, LockRequest.of(scene.id, "order.create", lease, lease));
                long fence = scene.column("fence");
                assertThat(scene.column("lease_end") - fence).isEqualTo(lease.toNanos() / 1_000);
                assertThat(scene.column("window_end") - fence).isEqualTo(lease.toNanos() / 1_000);
            }
            LockScene brief = new LockScene(open);
            ClaimRef first = brief.granted(store, brief.request(Duration.ofMillis(1)));
            brief.awaitLeaseEnd(brief.column("lease_end"));
            assertThat(store.renew(first, LONG)).isEqualTo(HolderAnswer.LOST);
            ClaimRef second = brief.granted(store, brief.request(Duration.ofMillis(500)));
            assertThat(second.fence()).isGreaterThan(first.fence());
        }
    }
}
