package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Holders that die, are late, or go on for long. */
abstract class LocksLeaseChecks extends LocksWaitChecks {
    private static final String NO_LEASES = "a session stands for the lease, which does not run out";

    /** A fence is the store's time in microseconds, so that two of them tell how long a lock was kept from the second. */
    private void wasKeptFor(Duration atLeast, HeldLock first, HeldLock second) {
        assertThat(second.fence()).isGreaterThan(first.fence());
        if (abilities().leases()) {
            assertThat(second.fence() - first.fence()).isGreaterThanOrEqualTo(atLeast.toNanos() / 1_000);
        }
    }

    @Test
    @DisplayName("C41: a dead process's lock is free when its lease is over, not before, and not much later")
    void aDeadHoldersLockIsTakenOver() {
        DoomedProcess process = doomed();
        OperationKey waited = newKey();
        OperationKey asked = newKey();
        HeldLock first = acquired(process.locks().tryAcquire(waited, shortLease()));
        HeldLock second = acquired(process.locks().tryAcquire(asked, shortLease()));
        Background<HeldLock> waiter = Background.run(() -> acquired(locks().acquire(
                        waited, UNTIL_DONE, abilities().deadHolderLasts().plus(limit()))));
        process.die();
        Duration limit = abilities().deadHolderLasts().plus(limit());
        List<HeldLock> found = new ArrayList<>();
        Polling.until("a dead holder's lock is free", limit, () -> {
            if (twin().tryAcquire(asked, UNTIL_DONE) instanceof Acquisition.Acquired<HeldLock> acquired) {
                found.add(acquired.lock());
            }
            return !found.isEmpty();
        });
        HeldLock taken = found.get(0);
        HeldLock next = waiter.result(limit);
        wasKeptFor(SHORT_LEASE, first, next);
        wasKeptFor(SHORT_LEASE, second, taken);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        assertThat(taken.release()).isEqualTo(LockRelease.DONE);
        areGone(List.of(waited, asked));
    }

    @Test
    @DisplayName("C06: a late release reports the loss and leaves the next holder's lock alone")
    void aLateReleaseLeavesTheNextHoldersLockAlone() {
        assumeTrue(abilities().leases(), NO_LEASES);
        for (int i = 0; i < 2; i++) {
            OperationKey key = newKey();
            HeldLock late = acquired(locks().tryAcquire(key, shortLease().notRenewed()));
            HeldLock newer = acquiredBy(handle(i), key, UNTIL_DONE);
            wasKeptFor(SHORT_LEASE, late, newer);
            assertThat(late.isHeld()).isFalse();
            assertThat(late.renew()).isFalse();
            LockRelease told = i == 0 ? late.release() : late.complete(null);
            assertThat(told).isEqualTo(LockRelease.LOST);
            assertThat(late.release()).isEqualTo(LockRelease.LOST);
            assertThat(isRefused(twin(), key)).isTrue();
            assertThat(isRefused(locks(), key)).isTrue();
            assertThat(newer.isHeld()).isTrue();
            assertThat(newer.renew()).isTrue();
            assertThat(newer.release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    @DisplayName("C11, C14: a lease that runs out is lost, its holder is told once, and nothing stays blocked")
    void aLeaseThatRunsOutIsLostAndItsHolderIsToldOnce() {
        assumeTrue(abilities().leases(), NO_LEASES);
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = acquired(locks().tryAcquire(key, shortLease().notRenewed()));
        held.onLost(() -> {
            lost.incrementAndGet();
            throw new IllegalStateException("a callback that fails hurts nobody");
        });
        held.onLost(lost::incrementAndGet);
        Polling.until("the holder is told", () -> lost.get() >= 2);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);
        held.onLost(lost::incrementAndGet);
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        // its lease may have lasted a moment longer by the store's clock, and has been ended there by now
        HeldLock next = acquiredBy(locks(), key, UNTIL_DONE);
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        assertThat(lost.get()).isEqualTo(3);
    }

    @Test
    void renewingByHandMovesTheLeasesEnd() {
        assumeTrue(abilities().leases(), NO_LEASES);
        OperationKey key = newKey();
        HeldLock held = acquired(
                locks().tryAcquire(key, UNTIL_DONE.lease(Duration.ofMinutes(5)).notRenewed()));
        Polling.until("a renewal gives more time than was left before", () -> {
            Polling.during(Duration.ofMillis(50), () -> {});
            Duration before = leftOf(key);
            assertThat(held.renew()).isTrue();
            return leftOf(key).compareTo(before) > 0;
        });
        assertThat(held.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(5));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
    }

    private Duration leftOf(OperationKey key) {
        return refused(twin().tryAcquire(key, UNTIL_DONE)).retryAfter();
    }

    @Test
    @DisplayName("C11: a renewed lock is kept beyond its lease, and through an outage that is shorter")
    void aRenewedLockIsKeptBeyondItsLeaseAndThroughAShortOutage() {
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        long begun = System.nanoTime();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE.lease(RENEWED_LEASE)));
        held.onLost(lost::incrementAndGet);
        if (abilities().outlastsOutages()) {
            outage().begin();
            Polling.during(
                    RENEWED_LEASE.dividedBy(3),
                    () -> assertThat(isRefused(twin(), key)).isTrue());
            outage().end();
        }
        Duration rest = RENEWED_LEASE.plusMillis(300).minusNanos(System.nanoTime() - begun);
        Polling.during(rest, () -> assertThat(isRefused(twin(), key)).isTrue());
        assertThat(held.isHeld()).isTrue();
        assertThat(lost.get()).isZero();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void renewalsEndWhereTheLongestHoldDoes() {
        assumeTrue(abilities().leases(), NO_LEASES);
        OperationKey key = newKey();
        HeldLock forgotten = acquired(locks().tryAcquire(key, shortLease().maxHold(Duration.ofMillis(1))));
        HeldLock next = acquiredBy(twin(), key, UNTIL_DONE);
        wasKeptFor(SHORT_LEASE, forgotten, next);
        Polling.until("its holder knows", () -> !forgotten.isHeld());
        assertThat(forgotten.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C20: a lease of a millisecond ends, and the longest one is kept")
    void theShortestAndTheLongestLeaseAreKept() {
        OperationKey key = newKey();
        HeldLock brief = acquired(
                locks().tryAcquire(key, UNTIL_DONE.lease(Duration.ofMillis(1)).notRenewed()));
        if (abilities().leases()) {
            // as its holder counts; by the store's clock it may last a moment longer
            AtomicInteger lost = new AtomicInteger();
            brief.onLost(lost::incrementAndGet);
            Polling.until("it is lost", () -> lost.get() > 0);
            assertThat(brief.isHeld()).isFalse();
            assertThat(brief.release()).isEqualTo(LockRelease.LOST);
        } else {
            assertThat(brief.release()).isEqualTo(LockRelease.DONE);
        }
        HeldLock longest = acquiredBy(twin(), key, UNTIL_DONE.lease(LockOptions.MAX_LEASE));
        assertThat(longest.isHeld()).isTrue();
        assertThat(longest.renew()).isTrue();
        assertThat(isRefused(locks(), key)).isTrue();
        assertThat(longest.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C20: leases and windows of no, negative or absurd length are refused")
    @SuppressWarnings("NullAway") // a caller without null checks is what this is about
    void absurdTimesAreRefused() {
        for (Duration odd : new Duration[] {
            null,
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofMillis(-1),
            Duration.ofSeconds(-1),
            LockOptions.MAX_WINDOW.plusMillis(1),
            LockOptions.MAX_LEASE.plusMillis(1).plus(LockOptions.MAX_WINDOW),
            Duration.ofMillis(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE)
        }) {
            if (odd == null || odd.compareTo(LockOptions.MAX_LEASE) > 0 || odd.compareTo(Duration.ofMillis(1)) < 0) {
                assertThatThrownBy(() -> UNTIL_DONE.lease(odd))
                        .as("lease %s", odd)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("lease");
            }
            if (odd != null) {
                assertThatThrownBy(() -> LockOptions.forWindow(odd))
                        .as("window %s", odd)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("window");
            }
        }
    }
}
