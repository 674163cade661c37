package io.oncegate.core.lock;

import io.oncegate.core.key.OperationKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/** Several locks that were acquired together, and are ended together. Thread-safe. */
public final class HeldLocks implements AutoCloseable {
    private final List<HeldLock> locks;

    private HeldLocks(List<HeldLock> locks) {
        this.locks = locks;
    }

    static Acquisition<HeldLocks> acquire(
            Locks locks, Collection<OperationKey> keys, LockOptions options, Duration wait)
            throws InterruptedException {
        if (keys.isEmpty() || options.takesResult()) {
            throw new IllegalArgumentException(
                    keys.isEmpty() ? "no key is given; give one or more" : "a result is of one key; take none");
        }
        requireWait(wait);
        // one order for everybody: two that ask for the same keys never wait for each other
        TreeMap<String, OperationKey> ordered = new TreeMap<>(Comparator.naturalOrder());
        keys.forEach(key -> ordered.put(key.id().toString(), key));
        long end = System.nanoTime() + wait.toNanos();
        List<HeldLock> held = new ArrayList<>();
        Acquisition.Refused<HeldLocks> refused = null;
        try {
            for (OperationKey key : ordered.values()) {
                Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
                Acquisition<HeldLock> acquisition = locks.acquire(key, options, left);
                if (!(acquisition instanceof Acquisition.Acquired<HeldLock> acquired)) {
                    refused = new Acquisition.Refused<>(key, timeLeft(acquisition));
                    return refused;
                }
                held.add(acquired.lock());
            }
            List<HeldLock> all = List.copyOf(held);
            held.clear();
            return new Acquisition.Acquired<>(new HeldLocks(all));
        } finally {
            new HeldLocks(held).release();
        }
    }

    static void requireWait(Duration wait) {
        if (wait.isNegative() || wait.compareTo(Locks.MAX_WAIT) > 0) {
            throw new IllegalArgumentException("the wait for a lock is 0 to " + Locks.MAX_WAIT + ", not " + wait);
        }
    }

    private static Duration timeLeft(Acquisition<HeldLock> acquisition) {
        return acquisition instanceof Acquisition.Refused<HeldLock> refused ? refused.retryAfter() : Duration.ZERO;
    }

    /** The locks, one for each key, in the order in which they were acquired. */
    public List<HeldLock> locks() {
        return locks;
    }

    /**
     * The lock of this key.
     *
     * @throws IllegalArgumentException if it is not among them
     */
    public HeldLock of(OperationKey key) {
        return locks.stream()
                .filter(lock -> lock.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(key + " is not among these locks"));
    }

    /** Whether all of them are held, as {@link HeldLock#isHeld} says. */
    public boolean isHeld() {
        return locks.stream().allMatch(HeldLock::isHeld);
    }

    /** Runs this for each lock that is lost, as {@link HeldLock#onLost} does. */
    public void onLost(Runnable callback) {
        locks.forEach(lock -> lock.onLost(callback));
    }

    /** Ends all, the last one first, with nothing done. Says {@code LOST} if one was, else {@code UNKNOWN} if one is. */
    public LockRelease release() {
        return end(HeldLock::release);
    }

    /** Ends all, the last one first, with their work done. Says the same as {@link #release()}. */
    public LockRelease complete() {
        return end(lock -> lock.complete(null));
    }

    @Override
    public void close() {
        var ignored = complete();
    }

    private LockRelease end(Function<HeldLock, LockRelease> ending) {
        LockRelease worst = LockRelease.DONE;
        for (int i = locks.size() - 1; i >= 0; i--) {
            LockRelease one = ending.apply(locks.get(i));
            if (one == LockRelease.LOST || worst == LockRelease.DONE) {
                worst = one;
            }
        }
        return worst;
    }
}
