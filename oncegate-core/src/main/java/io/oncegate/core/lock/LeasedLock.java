package io.oncegate.core.lock;

import io.oncegate.core.Operation;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition of a lock in a store with leases.
 *
 * <p>Renewals: one at a third of the lease, then the next; after a failure sooner, for the store may come back in time. The
 * lease's end that this process believes in is counted from before the request was sent, by the monotonic clock: it is never
 * later than the store's. While a renewal is under way the end is watched, so that a store that does not answer cannot
 * delay the news. Ending, renewing and losing may meet; the lock guards what of them came first, and is not held while the
 * store is asked.
 */
final class LeasedLock implements HeldLock {
    private static final long SHORTEST = Duration.ofMillis(1).toNanos();

    private final LeasedLocks locks;
    private final OperationKey key;
    private final ClaimRef ref;
    private final LockOptions options;
    private final long keepUntil;
    private final ReentrantLock state = new ReentrantLock();
    private volatile long leaseEnd;
    private volatile boolean lost;
    private volatile boolean ended;
    private @Nullable LockRelease release;
    private @Nullable List<Runnable> callbacks;
    private @Nullable Future<?> next;

    LeasedLock(LeasedLocks locks, OperationKey key, ClaimRef ref, LockOptions options, long sentNanos) {
        this.locks = locks;
        this.key = key;
        this.ref = ref;
        this.options = options;
        this.leaseEnd = sentNanos + options.lease().toNanos();
        this.keepUntil = sentNanos + options.maxHold().toNanos();
    }

    @Override
    public OperationKey key() {
        return key;
    }

    @Override
    public long fence() {
        return ref.fence();
    }

    @Override
    public boolean isHeld() {
        return !lost && !ended && leaseEnd - System.nanoTime() > 0;
    }

    @Override
    public Duration remaining() {
        return isHeld() ? Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime())) : Duration.ZERO;
    }

    @Override
    public boolean renew() {
        if (!isHeld()) {
            return false;
        }
        long sent = System.nanoTime();
        HolderAnswer answer = locks.store().renew(ref, options.lease());
        if (answer != HolderAnswer.DONE) {
            lose("is no longer held in the store");
            return false;
        }
        leaseEnd = sent + options.lease().toNanos();
        keep();
        return isHeld();
    }

    /** Keeps the lease, or where it is not to be renewed, watches its end. */
    void keep() {
        long now = System.nanoTime();
        if (options.renewed() && keepUntil - now > 0) {
            next(locks.threads()
                    .later(
                            this::renewalIsDue,
                            Math.max(SHORTEST, options.lease().toNanos() / 3)));
        } else {
            next(locks.threads().later(this::endIsDue, leaseEnd - now));
        }
    }

    private void next(@Nullable Future<?> task) {
        state.lock();
        try {
            if (next != null) {
                next.cancel(false);
            }
            next = task;
            if (task != null && (ended || lost)) {
                task.cancel(false);
            }
        } finally {
            state.unlock();
        }
    }

    private void renewalIsDue() {
        next(locks.threads().later(this::endIsDue, leaseEnd - System.nanoTime()));
        locks.threads().ask(this::renewInTurn);
    }

    private void endIsDue() {
        long left = leaseEnd - System.nanoTime();
        if (left > 0) {
            next(locks.threads().later(this::endIsDue, left));
        } else {
            locks.threads().tell(() -> lose("was not renewed in time"));
        }
    }

    private void renewInTurn() {
        if (ended || lost) {
            return;
        }
        long sent = System.nanoTime();
        try {
            HolderAnswer answer = locks.store().renew(ref, options.lease());
            if (answer == HolderAnswer.DONE) {
                leaseEnd = sent + options.lease().toNanos();
                keep();
            } else if (!ended) {
                lose("is no longer held in the store");
            }
        } catch (StoreUnavailableException e) {
            // the store may come back in time; the end is being watched
            var unused = locks.threads()
                    .later(
                            () -> locks.threads().ask(this::renewInTurn),
                            Math.max(SHORTEST, options.lease().toNanos() / 10));
        }
    }

    private void lose(String why) {
        List<Runnable> told;
        state.lock();
        try {
            if (ended || lost) {
                return;
            }
            lost = true;
            told = callbacks == null ? List.of() : callbacks;
            callbacks = null;
        } finally {
            state.unlock();
        }
        locks.lines().ended(ref.id(), this);
        locks.events().warn(Kind.LOST, key, "lost: it " + why + "; its holder may still be working");
        told.forEach(this::run);
    }

    private void run(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            locks.events().failed(key, e);
        }
    }

    @Override
    public void onLost(Runnable callback) {
        state.lock();
        try {
            if (!lost) {
                if (!ended) {
                    callbacks = callbacks == null ? new ArrayList<>(1) : callbacks;
                    callbacks.add(callback);
                }
                return;
            }
        } finally {
            state.unlock();
        }
        run(callback);
    }

    @Override
    public LockRelease release() {
        return end(LockEnd.released());
    }

    @Override
    public LockRelease complete(@Nullable Payload result) {
        if (result != null && result.size() > Operation.DEFAULT_MAX_RESULT_BYTES) {
            locks.events().tooLarge(key, result.size());
            return end(LeasedLocks.completed(null));
        }
        return end(LeasedLocks.completed(result));
    }

    private LockRelease end(LockEnd how) {
        boolean wasLost;
        state.lock();
        try {
            if (ended) {
                // by another thread, whose question may still be under way
                return release == null ? LockRelease.UNKNOWN : release;
            }
            ended = true;
            wasLost = lost;
            if (next != null) {
                next.cancel(false);
            }
        } finally {
            state.unlock();
        }
        LockRelease answer = locks.end(this, ref, how, options.window() == null);
        if (answer == LockRelease.LOST && !wasLost) {
            locks.events().warn(Kind.LOST, key, "had been lost when it was ended; its holder worked without it");
        }
        LockRelease told = wasLost ? LockRelease.LOST : answer;
        state.lock();
        try {
            release = told;
        } finally {
            state.unlock();
        }
        return told;
    }

    long leaseEnd() {
        return leaseEnd;
    }

    /** Whether it could still be passed on: being ended, and as far as this process knows not lost. */
    boolean isHeldButEnded() {
        return !lost && leaseEnd - System.nanoTime() > 0;
    }
}
