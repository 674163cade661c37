package io.oncegate.core;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a claim that lives apart from the effect, with its renewals. Thread-safe.
 *
 * <p>Renewals: one at a third of the lease, then the next; after a failure sooner, for the store may come back in time.
 * They end with the claim, when the store says that it is lost, or after the time to keep it. The lease's end that this
 * process believes in is counted from before the request was sent, by the monotonic clock: it is never later than the
 * store's. Ending and renewing may meet; the lock only guards which renewal is scheduled, and which is on its way.
 */
final class KeptLease {
    private final RecordStore store;
    private final Threads threads;
    private final ClaimRef ref;
    private final Duration lease;
    private final long leaseNanos;
    private final long keepUntil;
    private final Runnable whenLost;
    private final ReentrantLock scheduling = new ReentrantLock();
    private volatile long leaseEnd;
    private volatile boolean lost;
    private boolean keeping = true;
    private boolean onItsWay;
    private boolean unanswered;
    private @Nullable Future<?> next;

    /**
     * Creates the lease, without renewals yet.
     *
     * @param sentNanos when the claim was sent, by {@link System#nanoTime()}
     * @param keepFor how long it is renewed
     * @param whenLost is run once if a renewal finds it lost
     */
    KeptLease(
            RecordStore store,
            Threads threads,
            ClaimRef ref,
            Duration lease,
            long sentNanos,
            Duration keepFor,
            Runnable whenLost) {
        this.store = store;
        this.threads = threads;
        this.ref = ref;
        this.lease = lease;
        this.leaseNanos = lease.toNanos();
        this.leaseEnd = sentNanos + leaseNanos;
        this.keepUntil = sentNanos + keepFor.toNanos();
        this.whenLost = whenLost;
    }

    ClaimRef ref() {
        return ref;
    }

    boolean live() {
        return !lost && leaseEnd - System.nanoTime() > 0;
    }

    Duration remaining() {
        return live() ? Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime())) : Duration.ZERO;
    }

    /** Begins to renew. */
    void keep() {
        schedule(leaseEnd - System.nanoTime() - leaseNanos / 3 * 2);
    }

    private void schedule(long nanos) {
        scheduling.lock();
        try {
            if (keeping && !threads.closed()) {
                next = threads.keep(this::renew, Math.max(1_000_000, nanos));
            }
        } catch (RejectedExecutionException e) {
            keeping = false; // closed meanwhile
        } finally {
            scheduling.unlock();
        }
    }

    /**
     * Ends the renewals.
     *
     * @return whether each one that was sent has been answered, so that none can reach the store any more
     */
    boolean stop() {
        scheduling.lock();
        try {
            keeping = false;
            if (next != null) {
                next.cancel(false);
            }
            return !onItsWay && !unanswered;
        } finally {
            scheduling.unlock();
        }
    }

    private boolean keeping() {
        scheduling.lock();
        try {
            return keeping;
        } finally {
            scheduling.unlock();
        }
    }

    /** Whether a renewal may be sent, which is on its way then. */
    private boolean sending() {
        scheduling.lock();
        try {
            onItsWay = keeping;
            return keeping;
        } finally {
            scheduling.unlock();
        }
    }

    private void sent(boolean withAnswer) {
        scheduling.lock();
        try {
            onItsWay = false;
            unanswered |= !withAnswer;
        } finally {
            scheduling.unlock();
        }
    }

    private void renew() {
        long sent = System.nanoTime();
        if (sent - keepUntil >= 0 || !sending()) {
            return;
        }
        HolderAnswer answer;
        try {
            answer = store.renew(ref, lease);
        } catch (StoreUnavailableException e) {
            sent(false);
            schedule(leaseNanos / 10);
            return;
        }
        sent(true);
        if (answer == HolderAnswer.DONE) {
            leaseEnd = sent + leaseNanos;
            schedule(leaseNanos / 3);
        } else if (keeping()) {
            lost = true;
            whenLost.run();
        }
    }
}
