package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import java.time.Duration;
import java.util.Collection;

/**
 * Gives locks on business keys. Thread-safe. Only equal keys exclude each other; all of operation, scope and value count.
 *
 * <p>A lock is mutual exclusion, and only as good as its store: docs/locks.md says for each of them what is promised. It is
 * not idempotency: once it is free, a late repetition runs again. The data gate behind it has to judge.
 */
public interface Locks extends AutoCloseable {
    /** The longest that an acquisition may wait. */
    Duration MAX_WAIT = Duration.ofDays(1);

    /** The name of the store, for messages. */
    String name();

    /**
     * Asks once, and does not wait for a holder.
     *
     * @throws StoreUnavailableException if the store has no answer in its bounded time, or the thread is interrupted (its
     *     flag stays set); a lock that was granted all the same is given up in the background, or ends with its lease
     * @throws IllegalArgumentException if the store cannot hold a lock of this kind
     */
    Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options);

    /**
     * Waits for its turn. Those who wait in one process stand in line; between processes no order is promised, and nobody
     * is passed over for ever.
     *
     * @param wait how long at most; zero asks once; 0 to {@link #MAX_WAIT}
     * @return refused if the time was over
     * @throws InterruptedException if the thread was interrupted before or meanwhile; the flag is cleared, nothing is held
     * @throws StoreUnavailableException as {@link #tryAcquire}; while time is left, the store is asked again first
     */
    Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait) throws InterruptedException;

    /**
     * Acquires all of them or none: each key once, in an order that is the same for everybody, within one time.
     *
     * @param keys one or more; equal ones count once
     * @throws IllegalArgumentException also if there is none, or the options take results
     */
    default Acquisition<HeldLocks> acquireAll(Collection<OperationKey> keys, LockOptions options, Duration wait)
            throws InterruptedException {
        return HeldLocks.acquire(this, keys, options, wait);
    }

    /**
     * Gives no more locks ({@link IllegalStateException}), refuses those who wait, and renews no more: what is held then ends with its lease, unless it is ended
     * before. The backend is its owner's to close.
     */
    @Override
    void close();
}
