package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition.Answered;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.lock.LockStore.Watch;
import io.oncegate.core.lock.Waiter.Grant;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One acquisition that waits for its turn, on the thread that asked for it. */
final class Waiting {
    private static final long FIRST_PAUSE = Duration.ofMillis(5).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(250).toNanos();
    private static final long LONGEST_REST = Duration.ofSeconds(1).toNanos();

    private final LeasedLocks locks;
    private final OperationKey key;
    private final LockOptions options;
    private final Waiter me;
    private final long deadline;
    private long pause = FIRST_PAUSE;
    private long askAgain = System.nanoTime();
    private long heldUntil;
    private boolean asked;
    private @Nullable StoreUnavailableException down;

    Waiting(LeasedLocks locks, OperationKey key, LockOptions options, LockRequest request, Duration wait) {
        this.locks = locks;
        this.key = key;
        this.options = options;
        this.me = new Waiter(request);
        this.deadline = System.nanoTime() + wait.toNanos();
        this.heldUntil = System.nanoTime() + options.lease().toNanos();
    }

    Acquisition<HeldLock> await() throws InterruptedException {
        locks.lines().enter(me);
        if (options.takesResult()) {
            me.met(locks.lines().fenceHeldHere(me.request().id()));
        }
        try {
            return turn();
        } catch (InterruptedException | RuntimeException | Error e) {
            giveUp();
            throw e;
        } finally {
            locks.lines().leave(me);
        }
    }

    private Acquisition<HeldLock> turn() throws InterruptedException {
        while (true) {
            Grant grant = me.granted();
            if (grant != null) {
                return acquired(grant);
            }
            boolean over = deadline - System.nanoTime() <= 0;
            if (isWorthAsking(over)) {
                Acquisition<HeldLock> answer = ask();
                if (answer != null) {
                    return answer;
                }
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for lock " + key);
            }
            long now = System.nanoTime();
            if (deadline - now <= 0 || locks.isClosed()) {
                return end();
            }
            long until = (me.isFront() || isToMeet()) && askAgain - deadline < 0 ? askAgain : deadline;
            LockSupport.parkNanos(this, until - now);
        }
    }

    /** The first in line asks when it is called, and when it is time; everybody asks once before it is refused. */
    private boolean isWorthAsking(boolean over) {
        if (over) {
            return !asked && !locks.isClosed();
        }
        boolean due = askAgain - System.nanoTime() <= 0;
        if (!me.isFront()) {
            return due && isToMeet();
        }
        if (!me.wasCalled() && !due) {
            return false;
        }
        long standsBack = me.standsBackFor();
        if (standsBack > 0) {
            askAgain = System.nanoTime() + standsBack;
            return false;
        }
        if (locks.lines().isHeldHere(me.request().id())) {
            // its holder will pass it on
            askAgain = System.nanoTime() + LONGEST_REST;
            return false;
        }
        return true;
    }

    /** Whether it does not know yet whose result it waits for: also those who stand further back have to ask that once. */
    private boolean isToMeet() {
        return options.takesResult() && me.request().metFence() == 0;
    }

    private @Nullable Acquisition<HeldLock> ask() {
        LockRequest request = asked ? me.request().waiting() : me.request();
        asked = true;
        long sent = System.nanoTime();
        LockAnswer answer;
        try {
            answer = locks.store().acquire(request);
        } catch (StoreUnavailableException e) {
            down = e;
            me.becomeUnsure();
            rest();
            return null;
        }
        down = null;
        if (answer instanceof LockAnswer.Granted granted) {
            if (!me.grant(granted.fence(), sent, false)) {
                throw new IllegalStateException("a waiter that has left asked for its lock");
            }
            return null;
        } else if (answer instanceof LockAnswer.Result result) {
            if (!me.leave()) {
                return null; // it was passed on meanwhile
            }
            giveUpUnsure();
            locks.events().tell(Kind.ANSWERED, key);
            return new Answered<>(key, result.result());
        }
        held((LockAnswer.Held) answer, request.waits());
        return null;
    }

    private void held(LockAnswer.Held held, boolean asWaiting) {
        me.met(held.fence());
        long now = System.nanoTime();
        heldUntil = now + held.left().toNanos();
        if (held.completed()) {
            askAgain = heldUntil; // its window: no signal comes before that, unless it is forgotten
            boolean unused = watch();
            return;
        }
        boolean watched = watch();
        if (watched && !asWaiting) {
            askAgain = now; // from now on a signal can be heard: say that it is wanted, and look once more
            return;
        }
        if (watched) {
            askAgain = now + Math.min(held.left().toNanos(), LONGEST_REST);
        } else {
            rest();
            askAgain = Math.min(askAgain - now, held.left().toNanos()) + now;
        }
    }

    /** Asks again after a pause that grows. */
    private void rest() {
        askAgain = System.nanoTime() + pause / 2 + ThreadLocalRandom.current().nextLong(pause);
        pause = Math.min(LONGEST_PAUSE, pause + pause / 2);
    }

    /** Whether the store will say when the lock is free. */
    private boolean watch() {
        if (locks.lines().isWatched(me.request().id())) {
            return true;
        }
        Watch watch;
        try {
            watch = locks.store()
                    .watch(
                            me.request().id(),
                            () -> locks.lines().signalled(me.request().id()));
        } catch (StoreUnavailableException e) {
            watch = null;
        }
        if (watch == null) {
            return false;
        }
        locks.lines().watched(me.request().id(), watch);
        return true;
    }

    /** The time is over. */
    private Acquisition<HeldLock> end() {
        if (!me.leave()) {
            Grant grant = me.granted();
            if (grant != null) {
                return acquired(grant);
            }
        }
        giveUpUnsure();
        if (down != null) {
            locks.events().tell(Kind.STORE_DOWN, key);
            throw down;
        }
        return locks.refused(key, Duration.ofNanos(Math.max(0, heldUntil - System.nanoTime())));
    }

    private Acquisition<HeldLock> acquired(Grant grant) {
        return locks.acquired(key, options, me.request(), grant.fence(), grant.sentNanos(), grant.passed());
    }

    /** Interrupted, or failed: whatever was granted is wanted no more. */
    private void giveUp() {
        if (me.leave()) {
            giveUpUnsure();
            return;
        }
        Grant grant = me.granted();
        if (grant != null) {
            ClaimRef ref =
                    new ClaimRef(me.request().id(), grant.fence(), me.request().attempt());
            locks.endLater(ref, grant.sentNanos() + options.lease().toNanos());
        }
    }

    private void giveUpUnsure() {
        if (me.isUnsure()) {
            locks.giveUp(me.request());
        }
    }
}
