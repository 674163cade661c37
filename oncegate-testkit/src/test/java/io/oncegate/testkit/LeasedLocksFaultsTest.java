package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.testkit.FaultyLockStore.Method;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls to the store whose replies are lost, or that never arrive, leave nothing behind. */
class LeasedLocksFaultsTest {
    /** A lease by which an orphan would stay for longer than any test waits. */
    private static final LockOptions OPTIONS = LockOptions.untilDone().lease(Duration.ofHours(2));

    private static final Duration LONG = Duration.ofSeconds(60);

    private final MemoryLockStore backend = new MemoryLockStore();
    private final FaultyLockStore store = new FaultyLockStore(backend);
    private final Locks locks = LeasedLocks.of(store);
    private final Locks twin = LeasedLocks.of(backend);
    private final OperationKey key = LocksFixture.newKey();

    @AfterEach
    void closes() {
        locks.close();
        twin.close();
    }

    private HeldLock held() {
        return LocksFixture.acquired(locks.tryAcquire(key, OPTIONS));
    }

    private Background<HeldLock> waiter() {
        return Background.waiting(() -> LocksFixture.acquired(locks.acquire(key, OPTIONS, LONG)));
    }

    private void isFree() {
        assertThat(LocksFixture.acquiredBy(twin, key, OPTIONS).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C88: a grant whose reply was lost is given up in the background")
    void aGrantWhoseReplyWasLostIsGivenUp() {
        store.loseNextReply(Method.ACQUIRE);
        assertThatThrownBy(() -> locks.tryAcquire(key, OPTIONS)).isInstanceOf(StoreUnavailableException.class);
        isFree();
    }

    @Test
    void aWaiterWhoseGrantWasLostFindsItAgain() throws InterruptedException {
        store.loseReplies(Method.ACQUIRE, 2);
        HeldLock held = LocksFixture.acquired(locks.acquire(key, OPTIONS, LONG));
        assertThat(store.calls(Method.ACQUIRE)).isEqualTo(3);
        assertThat(held.renew()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        isFree();
    }

    @Test
    void aWaiterWhoseTimeEndsWithoutAnAnswerGivesUpWhatItMayHold() {
        store.loseReplies(Method.ACQUIRE, 1_000);
        assertThatThrownBy(() -> locks.acquire(key, OPTIONS, Duration.ofMillis(50)))
                .isInstanceOf(StoreUnavailableException.class);
        store.heal();
        isFree();
    }

    @Test
    @DisplayName("C88: a release whose reply was lost is sent again, and hurts no later holder")
    void aReleaseWhoseReplyWasLostIsSentAgain() {
        HeldLock held = held();
        store.loseNextReply(Method.END);
        Blockade again = store.pauseNext(Method.END);
        Background<LockRelease> releasing = Background.run(held::release);
        again.awaitArrival();
        again.release();
        assertThat(releasing.result()).isEqualTo(LockRelease.UNKNOWN);
        HeldLock next = LocksFixture.acquiredBy(twin, key, OPTIONS);
        Polling.until("it is sent again", () -> store.calls(Method.END) >= 2);
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        assertThat(next.renew()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void aReleaseThatNeverArrivedIsSentAgain() {
        HeldLock held = held();
        store.fail(Method.END, 3);
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        isFree();
        assertThat(store.calls(Method.END)).isEqualTo(4);
    }

    @Test
    void aResultWhoseReplyWasLostIsGivenAllTheSame() {
        LockOptions taking = OPTIONS.takingResult();
        HeldLock held = LocksFixture.acquired(locks.tryAcquire(key, taking));
        Background<Acquisition<HeldLock>> waiter = Background.waiting(() -> twin.acquire(key, taking, LONG));
        store.fail(Method.END, 2);
        assertThat(held.complete(LockEnding.payload("result"))).isEqualTo(LockRelease.UNKNOWN);
        assertThat(waiter.result()).isEqualTo(new Acquisition.Answered<>(key, LockEnding.payload("result")));
    }

    @Test
    void aPassingWhoseReplyWasLostIsFoundByTheNextOne() {
        HeldLock held = held();
        Background<HeldLock> waiter = waiter();
        store.loseNextReply(Method.PASS);
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        HeldLock next = waiter.result();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.renew()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        isFree();
    }

    @Test
    void aPassingThatNeverArrivedIsMadeUpFor() {
        HeldLock held = held();
        Background<HeldLock> waiter = waiter();
        store.failNext(Method.PASS);
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        HeldLock next = waiter.result();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        isFree();
    }

    @Test
    void oneWhoseTimeEndsWhileItIsPassedTheLockAsksAndHasIt() {
        HeldLock held = held();
        Background<Acquisition<HeldLock>> waiter =
                Background.waiting(() -> locks.acquire(key, OPTIONS, Duration.ofSeconds(3)));
        Blockade passing = store.pauseNextReply(Method.PASS);
        Background<LockRelease> releasing = Background.run(held::release);
        passing.awaitArrival();
        HeldLock next = LocksFixture.acquired(waiter.result());
        passing.release();
        assertThat(releasing.result()).isEqualTo(LockRelease.DONE);
        assertThat(next.renew()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        isFree();
    }

    @Test
    void oneWhoIsInterruptedWhileItIsPassedTheLockKeepsNothing() {
        HeldLock held = held();
        Background<Boolean> waiter = interruptible();
        Blockade passing = store.pauseNextReply(Method.PASS);
        Background<LockRelease> releasing = Background.run(held::release);
        passing.awaitArrival();
        waiter.interrupt();
        assertThat(waiter.result()).isFalse();
        passing.releaseWith(new StoreUnavailableException("faulty", "a test wants no answer", null));
        assertThat(releasing.result()).isEqualTo(LockRelease.UNKNOWN);
        isFree();
    }

    @Test
    void oneWhoLeavesBeforeALatePassingArrivesKeepsNothing() {
        HeldLock held = held();
        Background<Boolean> waiter = interruptible();
        Blockade passing = store.pauseNext(Method.PASS);
        Background<LockRelease> releasing = Background.run(held::release);
        passing.awaitArrival();
        waiter.interrupt();
        assertThat(waiter.result()).isFalse();
        passing.release();
        assertThat(releasing.result()).isEqualTo(LockRelease.DONE);
        isFree();
    }

    /** One who waits, and says whether it got in or was interrupted. */
    private Background<Boolean> interruptible() {
        return Background.waiting(() -> {
            try {
                return locks.acquire(key, OPTIONS, LONG) instanceof Acquisition.Acquired;
            } catch (InterruptedException e) {
                return false;
            }
        });
    }

    @Test
    void aRenewalThatFailsIsTriedAgainBeforeTheLeaseIsOver() {
        HeldLock held = LocksFixture.acquired(locks.tryAcquire(key, OPTIONS.lease(Duration.ofMillis(2_400))));
        store.fail(Method.RENEW, 2);
        Polling.until("it is renewed", () -> store.calls(Method.RENEW) >= 3);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
    }
}
