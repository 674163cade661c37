package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock that annotated methods hold. All that needs it takes part: the call that acquired it, calls inside of it with the
 * same key, and the transaction that their changes belong to. The last one to leave ends it. Thread-safe.
 */
final class Hold {
    private static final Logger LOG = LoggerFactory.getLogger(Hold.class);

    private final Locks locks;
    private final HeldLock lock;
    private final boolean window;
    private final AtomicInteger parts = new AtomicInteger(1);
    private final AtomicInteger running = new AtomicInteger(1);
    private volatile Ending ending = Ending.NOTHING;
    private volatile @Nullable Ending verdict;

    /** A lock that was acquired just now; whoever did takes part, and runs. */
    Hold(LockPlan plan, HeldLock lock) {
        this.locks = plan.locks();
        this.lock = lock;
        this.window = plan.options().window() != null;
    }

    HeldLock lock() {
        return lock;
    }

    OperationKey key() {
        return lock.key();
    }

    boolean isWindow() {
        return window;
    }

    boolean isOf(LockPlan plan, OperationKey key) {
        return locks == plan.locks() && lock.key().equals(key) && !isEnded();
    }

    /** Whether all have left. */
    boolean isEnded() {
        return parts.get() == 0;
    }

    /** Whether a call runs under it; if not, it waits for a transaction's end. */
    boolean isRunning() {
        return running.get() > 0;
    }

    /** How the work has ended so far. */
    Ending ending() {
        return ending;
    }

    void ending(Ending other) {
        ending = other;
    }

    /** What counts whatever the calls say: that of the transaction. */
    void verdict(Ending last) {
        verdict = last;
    }

    /** Lets another one take part. */
    boolean join() {
        return parts.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** A call that runs inside joins. */
    boolean joinRunning() {
        if (!join()) {
            return false;
        }
        running.incrementAndGet();
        return true;
    }

    /** A call has ended. */
    @Nullable
    LockRelease leaveRunning() {
        running.decrementAndGet();
        return leave();
    }

    /** Leaves, and ends the lock if nobody is left: then it is said how that went, else null. */
    @Nullable
    LockRelease leave() {
        if (parts.decrementAndGet() > 0) {
            return null;
        }
        Ending last = verdict;
        Ending how = last == null ? ending : last;
        LockRelease release = how.completed() ? lock.complete(how.payload()) : lock.release();
        if (release == LockRelease.LOST) {
            LOG.warn(
                    "the lock {} with fence {} was lost while its work ran, so others may have run at the same time; let the"
                            + " lease be renewed or longer, and carry the fence into the write",
                    lock.key(),
                    lock.fence());
        }
        return release;
    }
}
