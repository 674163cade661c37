package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Those who wait for their turn. */
abstract class LocksWaitChecks extends LocksBasicChecks {
    @Test
    void aWaiterGetsInWhenTheLockIsReleasedHereOrElsewhere() {
        for (int i = 0; i < 4; i++) {
            Locks waits = handle(i / 2);
            OperationKey key = newKey();
            HeldLock held = acquired(handle(i).tryAcquire(key, UNTIL_DONE));
            Background<HeldLock> waiter = Background.waiting(() -> acquiredBy(waits, key, UNTIL_DONE));
            assertThat(waiter.isDone()).isFalse();
            assertThat(i == 0 ? held.complete(null) : held.release()).isEqualTo(LockRelease.DONE);
            HeldLock next = waiter.result();
            assertThat(next.fence()).isGreaterThan(held.fence());
            assertThat(next.isHeld()).isTrue();
            assertThat(isRefused(twin(), key)).isTrue();
            assertThat(next.release()).isEqualTo(LockRelease.DONE);
            assertThat(acquired(locks().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void waitingEndsRefusedWhenItsTimeIsOver() throws InterruptedException {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        for (int i = 0; i < 2; i++) {
            Duration wait = Duration.ofMillis(100);
            long begun = System.nanoTime();
            Acquisition<HeldLock> late = handle(i).acquire(key, UNTIL_DONE, wait);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(wait.toNanos());
            assertThat(late)
                    .isInstanceOfSatisfying(
                            Acquisition.Refused.class,
                            refused -> assertThat(refused.retryAfter()).isPositive());
            assertThat(handle(i).acquire(key, UNTIL_DONE, Duration.ZERO)).isInstanceOf(Acquisition.Refused.class);
        }
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        HeldLock next = acquired(twin().acquire(key, UNTIL_DONE, Duration.ZERO));
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void oddWaitsAreRefused() {
        for (Duration wait : List.of(
                Duration.ofMillis(-1),
                Duration.ofMillis(Long.MIN_VALUE),
                Locks.MAX_WAIT.plusMillis(1),
                Duration.ofMillis(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            OperationKey key = newKey();
            assertThatThrownBy(() -> locks().acquire(key, UNTIL_DONE, wait))
                    .as("%s", wait)
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> locks().acquireAll(List.of(key), UNTIL_DONE, wait))
                    .as("%s", wait)
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
        }
        assertThat(acquiredFor(locks(), newKey(), Locks.MAX_WAIT).release()).isEqualTo(LockRelease.DONE);
    }

    private static HeldLock acquiredFor(Locks locks, OperationKey key, Duration wait) {
        return Background.run(() -> acquired(locks.acquire(key, UNTIL_DONE, wait)))
                .result();
    }

    @Test
    void thoseWhoWaitInOneProcessAreServedInLine() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        ConcurrentLinkedQueue<Integer> served = new ConcurrentLinkedQueue<>();
        List<Background<LockRelease>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            waiters.add(Background.waiting(() -> {
                HeldLock mine = acquiredBy(locks(), key, UNTIL_DONE);
                served.add(number);
                return mine.release();
            }));
        }
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        waiters.forEach(waiter -> assertThat(waiter.result()).isEqualTo(LockRelease.DONE));
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void thoseWhoGiveUpAreNotServedAndThoseBehindThemAre() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        List<Background<Acquisition<HeldLock>>> leaving = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Locks waits = handle(i);
            leaving.add(Background.run(() -> waits.acquire(key, UNTIL_DONE, Duration.ofMillis(200))));
        }
        Background<HeldLock> here = Background.waiting(() -> acquiredBy(locks(), key, UNTIL_DONE));
        Background<HeldLock> there = Background.waiting(() -> acquiredBy(twin(), key, UNTIL_DONE));
        leaving.forEach(one -> assertThat(one.result()).isInstanceOf(Acquisition.Refused.class));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        Polling.until("one of them gets in", () -> here.isDone() || there.isDone());
        Background<HeldLock> first = here.isDone() ? here : there;
        Background<HeldLock> second = first == here ? there : here;
        assertThat(first.result().release()).isEqualTo(LockRelease.DONE);
        assertThat(second.result().release()).isEqualTo(LockRelease.DONE);
        assertThat(acquired(locks().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void nobodyIsPassedOverForEverByAnotherProcess() {
        OperationKey key = newKey();
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger crowd = new AtomicInteger();
        List<Background<Integer>> crowding = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            crowding.add(Background.run(() -> {
                while (!enough.get()) {
                    HeldLock mine = acquiredBy(locks(), key, UNTIL_DONE);
                    crowd.incrementAndGet();
                    assertThat(mine.complete(null)).isEqualTo(LockRelease.DONE);
                }
                return 0;
            }));
        }
        try {
            Polling.until("the crowd is under way", () -> crowd.get() > 3);
            for (int i = 0; i < 3; i++) {
                int before = crowd.get();
                assertThat(acquiredBy(twin(), key, UNTIL_DONE).release()).isEqualTo(LockRelease.DONE);
                Polling.until("the crowd goes on", () -> crowd.get() > before);
            }
        } finally {
            enough.set(true);
        }
        crowding.forEach(Background::result);
    }

    @Test
    void closingRefusesThoseWhoWait() {
        OperationKey key = newKey();
        HeldLock held = acquired(twin().tryAcquire(key, UNTIL_DONE));
        Locks closing = doomed().locks();
        Callable<Acquisition<HeldLock>> waiter = () -> closing.acquire(key, UNTIL_DONE, Duration.ofHours(1));
        List<Background<Acquisition<HeldLock>>> waiters = Background.allWaiting(List.of(waiter, waiter, waiter));
        closing.close();
        waiters.forEach(one -> assertThat(one.result()).isInstanceOf(Acquisition.Refused.class));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(acquired(locks().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }
}
