package io.oncegate.spring.lock;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/** Lets calls in: under a hold that the call chain has already, or under one that is acquired now. */
final class LockDoor {
    static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            LockDoor.class.getClassLoader());
    private static final Logger LOG = LoggerFactory.getLogger(LockDoor.class);

    private LockDoor() {}

    /** Lets a call of this thread in. May wait. */
    static Entrance enter(LockPlan plan, OperationKey key) {
        Hold known = ThreadHolds.find(plan, key);
        Entrance inside = known == null ? null : again(plan, known);
        if (inside != null) {
            return inside;
        }
        boolean joins = TRANSACTIONS && plan.joinsCaller() && TransactionHold.canBeJoined(plan);
        Entrance entrance = acquire(plan, key);
        if (joins && entrance instanceof Entrance.Inside acquired) {
            joinTransaction(plan, acquired.hold());
        }
        return entrance;
    }

    private static void joinTransaction(LockPlan plan, Hold hold) {
        try {
            TransactionHold.join(plan, hold);
        } catch (RuntimeException e) {
            var unused = hold.leaveRunning();
            throw e;
        }
    }

    /** Under a hold of the same call chain; null if it has just ended. */
    static @Nullable Entrance again(LockPlan plan, Hold hold) {
        if (!hold.isRunning()) {
            return inTransaction(plan, hold);
        }
        if (!hold.joinRunning()) {
            return null;
        }
        return checked(new Entrance.Inside(plan, hold, false));
    }

    /** A second call in the transaction for whose end the hold of the first one waits. */
    private static @Nullable Entrance inTransaction(LockPlan plan, Hold hold) {
        if (!plan.joinsCaller() || !TransactionHold.isOfCurrent(hold)) {
            throw new UnsafeHoldException(
                    plan.label()
                            + ": the call chain holds its lock until an outer transaction ends, whose changes this call,"
                            + " in another transaction, would not see; nothing was run. Call it in the same transaction,"
                            + " or after that one",
                    hold.key().digest());
        }
        Ending earlier = hold.ending();
        if (hold.isWindow() && earlier.completed()) {
            if (plan.whenHeld() == WhenHeld.RESULT && earlier.payload() != null) {
                return new Entrance.Answer(earlier.result());
            }
            throw refused(hold.key(), hold.lock().remaining());
        }
        return hold.joinRunning() ? checked(new Entrance.Inside(plan, hold, true)) : null;
    }

    /** What has not begun does not begin under a lock that is known to be lost. */
    private static Entrance checked(Entrance.Inside inside) {
        Hold hold = inside.hold();
        if (!hold.lock().isHeld()) {
            var unused = hold.leaveRunning();
            throw new LockLostException(hold.key(), hold.lock().fence());
        }
        return inside;
    }

    /** Acquires it. */
    static Entrance acquire(LockPlan plan, OperationKey key) {
        Acquisition<HeldLock> acquisition;
        try {
            acquisition = asked(plan, key);
        } catch (StoreUnavailableException e) {
            if (!plan.runUnprotected() || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.warn("{} runs without its lock {}, because the store gave no answer", plan.label(), key, e);
            tell(plan, key);
            return new Entrance.Unprotected();
        }
        if (acquisition instanceof Acquisition.Acquired<HeldLock> acquired) {
            return new Entrance.Inside(plan, new Hold(plan, acquired.lock()), true);
        } else if (acquisition instanceof Acquisition.Answered<HeldLock> answered && plan.results() != null) {
            return new Entrance.Answer(plan.shape().replay(plan.results().decode(key, answered.result())));
        }
        throw refused(
                key,
                acquisition instanceof Acquisition.Refused<HeldLock> refused
                        ? refused.retryAfter()
                        : plan.options().lease());
    }

    private static Acquisition<HeldLock> asked(LockPlan plan, OperationKey key) {
        if (plan.waitUpTo().isZero()) {
            return plan.locks().tryAcquire(key, plan.options());
        }
        try {
            return plan.locks().acquire(key, plan.options(), plan.waitUpTo());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(key, plan.options().lease());
        }
    }

    private static InProgressException refused(OperationKey key, Duration left) {
        return new InProgressException(key.operation(), left, key.digest());
    }

    private static void tell(LockPlan plan, OperationKey key) {
        LockEvent event =
                new LockEvent(LockEvent.Kind.UNPROTECTED, key, plan.locks().name());
        for (LockListener listener : plan.listeners()) {
            try {
                listener.on(event);
            } catch (RuntimeException e) {
                LOG.warn("a listener failed", e);
            }
        }
    }
}
