package io.oncegate.spring.integration;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * The lock of one key of a registry: a view without a state of its own. Equal for the same key of the same registry.
 * Thread-safe.
 */
final class RegistryLock implements DistributedLock {
    /** How long the store is asked at a time by one who waits for ever: a store that is down has to be told in bounded time. */
    private static final Duration SLICE = Duration.ofSeconds(30);

    private final Locks locks;
    private final OperationKey key;
    private final LockOptions options;
    private final ThreadLocks held;

    RegistryLock(Locks locks, OperationKey key, LockOptions options, ThreadLocks held) {
        this.locks = locks;
        this.key = key;
        this.options = options;
        this.held = held;
    }

    @Override
    public void lock() {
        lock(options);
    }

    /** With a lease of its own, which is not renewed. A thread that holds the lock already keeps the lease that it has. */
    @Override
    public void lock(Duration ttl) {
        lock(options.lease(ttl).notRenewed());
    }

    private void lock(LockOptions with) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    lockInterruptibly(with);
                    return;
                } catch (InterruptedException e) {
                    interrupted = true; // and wait on, as the contract of Lock has it
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lockInterruptibly(options);
    }

    private void lockInterruptibly(LockOptions with) throws InterruptedException {
        requireNotInterrupted();
        boolean mine = again();
        while (!mine) {
            mine = taken(locks.acquire(key, with, SLICE), with);
        }
    }

    @Override
    public boolean tryLock() {
        if (again()) {
            return true;
        }
        boolean interrupted = Thread.interrupted();
        try {
            return taken(locks.tryAcquire(key, options), options);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(unit.toNanos(time), options);
    }

    /** As {@link #lock(Duration)}, if it is free within the time. */
    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return tryLock(saturatedNanos(waitTime), options.lease(ttl).notRenewed());
    }

    private static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    private boolean tryLock(long nanos, LockOptions with) throws InterruptedException {
        requireNotInterrupted();
        if (again()) {
            return true;
        }
        long start = System.nanoTime();
        while (true) {
            long left = Math.max(0, nanos - (System.nanoTime() - start));
            Duration wait = Duration.ofNanos(Math.min(left, Locks.MAX_WAIT.toNanos()));
            if (taken(locks.acquire(key, with, wait), with)) {
                return true;
            }
            if (nanos - (System.nanoTime() - start) <= 0) {
                return false;
            }
        }
    }

    private static void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before it was asked for the lock");
        }
    }

    /** Whether this thread holds it already. What it has lost it does not get again before it has let it go. */
    private boolean again() {
        ThreadLocks.Held mine = held.here(key);
        if (mine == null) {
            return false;
        }
        if (!mine.lock.isHeld()) {
            throw lost("is asked for again; unlock it first");
        }
        mine.again();
        return true;
    }

    private boolean taken(Acquisition<HeldLock> acquisition, LockOptions with) {
        if (!(acquisition instanceof Acquisition.Acquired<HeldLock> acquired)) {
            return false;
        }
        held.acquired(acquired.lock(), with.lease());
        return true;
    }

    /**
     * Unlocks it.
     *
     * @throws IllegalStateException if this thread does not hold it
     * @throws ConcurrentModificationException if it had been lost, so that others may have held it meanwhile; this thread has
     *     let it go all the same
     */
    @Override
    public void unlock() {
        HeldLock last = held.unlocked(mine());
        if (last != null && last.complete(null) == LockRelease.LOST) {
            throw lost("is unlocked; others may have worked at the same time, so look at what was written");
        }
    }

    void renew(@Nullable Duration ttl) {
        ThreadLocks.Held mine = mine();
        if (ttl != null && ttl.compareTo(mine.lease) > 0) {
            throw new IllegalArgumentException("lock " + key + " has a lease of " + mine.lease
                    + " and is not renewed for longer; acquire it with a longer one");
        }
        if (!mine.lock.renew()) {
            throw new IllegalStateException(
                    "lock " + key + " has been lost and cannot be renewed; unlock it, and begin again");
        }
    }

    private ThreadLocks.Held mine() {
        ThreadLocks.Held mine = held.here(key);
        if (mine == null) {
            throw new IllegalStateException("lock " + key
                    + " is not held by this thread; the thread that locked it has to unlock and renew it");
        }
        return mine;
    }

    private ConcurrentModificationException lost(String when) {
        return new ConcurrentModificationException("lock " + key + " had been lost when it " + when
                + ". Its lease ran out, or the store forgot it; let leases be longer, or renewed");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock in a store has no conditions");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegistryLock lock && lock.held == held && lock.key.equals(key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return "lock " + key;
    }
}
