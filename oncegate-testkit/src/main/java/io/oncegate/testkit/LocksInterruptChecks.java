package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads that are interrupted. */
abstract class LocksInterruptChecks extends LocksOutageChecks {
    private static final Duration LONG_WAIT = Duration.ofHours(1);

    /** A lease by which an orphan would stay for longer than any test waits. */
    private static final LockOptions LONG_LEASE = UNTIL_DONE.lease(Duration.ofHours(2));

    private enum Came {
        IN,
        NOT,
        INTERRUPTED,
        INTERRUPTED_WITH_FLAG
    }

    private Came asks(int handle, OperationKey key, Duration wait) {
        try {
            Acquisition<HeldLock> acquisition = handle(handle).acquire(key, LONG_LEASE, wait);
            if (acquisition instanceof Acquisition.Acquired<HeldLock> acquired) {
                LockRelease release = acquired.lock().release();
                // an interrupt that meets the release itself leaves it to the background
                assertThat(release == LockRelease.UNKNOWN
                                && Thread.currentThread().isInterrupted())
                        .isNotEqualTo(release == LockRelease.DONE);
                return Came.IN;
            }
            return Came.NOT;
        } catch (InterruptedException e) {
            return Thread.currentThread().isInterrupted() ? Came.INTERRUPTED_WITH_FLAG : Came.INTERRUPTED;
        }
    }

    @Test
    @DisplayName("C27b: an interrupted waiter ends at once and holds nothing")
    void anInterruptedWaiterEndsAtOnceAndHoldsNothing() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, LONG_LEASE));
        List<Callable<Came>> asking = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int handle = i;
            asking.add(() -> asks(handle, key, LONG_WAIT));
        }
        List<Background<Came>> waiters = Background.allWaiting(asking);
        waiters.forEach(Background::interrupt);
        waiters.forEach(waiter -> assertThat(waiter.result()).isEqualTo(Came.INTERRUPTED));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        for (int i = 0; i < 2; i++) {
            assertThat(acquiredBy(handle(i), key, LONG_LEASE).release()).isEqualTo(LockRelease.DONE);
        }
        areGone(List.of(key));
    }

    @Test
    @DisplayName("C27b: a thread whose flag is set already gets no lock")
    void anInterruptBeforeAskingCountsToo() {
        OperationKey key = newKey();
        for (Duration wait : List.of(Duration.ZERO, LONG_WAIT)) {
            Background<Came> asking = Background.run(() -> {
                Thread.currentThread().interrupt();
                return asks(0, key, wait);
            });
            assertThat(asking.result()).isEqualTo(Came.INTERRUPTED);
        }
        Background.run(() -> {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> locks().acquireAll(List.of(key, newKey()), LONG_LEASE, LONG_WAIT))
                            .isInstanceOf(InterruptedException.class);
                    return true;
                })
                .result();
        assertThat(acquiredBy(twin(), key, LONG_LEASE).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void askingOnceKeepsTheFlagAndLeavesNothingBehind() {
        OperationKey key = newKey();
        Background.run(() -> {
                    Thread.currentThread().interrupt();
                    try {
                        HeldLock held = acquired(locks().tryAcquire(key, LONG_LEASE));
                        assertThat(held.release()).isEqualTo(LockRelease.DONE);
                    } catch (StoreUnavailableException allowed) {
                        assertThat(allowed).isNotNull();
                    }
                    assertThat(Thread.interrupted()).as("the flag").isTrue();
                    return true;
                })
                .result();
        assertThat(acquiredBy(twin(), key, LONG_LEASE).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void anInterruptedHolderCanStillRelease() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, LONG_LEASE));
        Background<Boolean> releasing = Background.run(() -> {
            Thread.currentThread().interrupt();
            assertThat(held.release()).isEqualTo(LockRelease.DONE);
            return Thread.interrupted();
        });
        assertThat(releasing.result()).as("the flag").isTrue();
        assertThat(acquiredBy(twin(), key, LONG_LEASE).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void interruptsAndTimeOutsThatMeetAReleaseOrphanNothing() {
        OperationKey key = newKey();
        int rounds = Math.max(10, abilities().rounds() / 4);
        for (int round = 0; round < rounds; round++) {
            HeldLock held = acquiredBy(handle(round), key, LONG_LEASE);
            List<Background<Came>> waiters = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int handle = i;
                Duration wait = i < 2 ? LONG_WAIT : Duration.ofMillis(1 + round % 5);
                waiters.add(Background.run(() -> asks(handle, key, wait)));
            }
            Polling.during(Duration.ofMillis(round % 4), () -> {});
            Background<LockRelease> releasing = Background.run(held::release);
            waiters.get(0).interrupt();
            waiters.get(1).interrupt();
            assertThat(releasing.result()).isEqualTo(LockRelease.DONE);
            waiters.forEach(waiter -> assertThat(waiter.result()).isNotEqualTo(Came.INTERRUPTED_WITH_FLAG));
        }
        for (int i = 0; i < 2; i++) {
            assertThat(acquiredBy(handle(i), key, LONG_LEASE).release()).isEqualTo(LockRelease.DONE);
        }
        areGone(List.of(key));
    }
}
