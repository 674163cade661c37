package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks with leases. An implementation makes each decision of {@link LockMachine} atomic on its backend; it decides
 * nothing by itself. {@link LeasedLocks} makes {@link Locks} of it. Thread-safe.
 *
 * <p>For every method:
 *
 * <ul>
 *   <li>Atomic: the decision and its effect on the one lock. Of two that race, one sees the other's effect.
 *   <li>Clock: only the backend's own, read after the lock's row is locked. The node's clock counts for nothing.
 *   <li>Time: the method returns within the bound that the store is configured with.
 *   <li>Failure: {@link StoreUnavailableException} says that there is no answer. The call may or may not have had its
 *       effect; sent again by the same attempt it is answered as if it were sent once.
 *   <li>Interrupt: an interrupted call ends in {@code StoreUnavailableException} with the thread's interrupt flag set.
 *   <li>A crash leaves a lock that ends with its lease, or its window, by itself. No lock is evicted while it is held.
 * </ul>
 */
public interface LockStore {
    /** Ends the watching of a lock. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** A short name for messages, such as {@code redis} or {@code jdbc:oncegate_lock}; no secrets. */
    String name();

    /**
     * Acquires the lock or reads who holds it, in one round trip.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    LockAnswer acquire(LockRequest request);

    /**
     * Moves the lease's end to the store's present time plus this lease.
     *
     * @return {@code DONE}, or {@code LOST} with nothing changed
     * @throws StoreUnavailableException if there is no answer
     */
    HolderAnswer renew(ClaimRef held, Duration lease);

    /**
     * Ends the hold.
     *
     * @return {@code DONE}, now or by an earlier sending, or {@code LOST} with nothing changed
     * @throws StoreUnavailableException if there is no answer
     */
    HolderAnswer end(ClaimRef held, LockEnd end);

    /**
     * Ends a hold until done, with its work done and no result, and grants the lock to the next one in the same step.
     *
     * @return the next one's fence; empty, with nothing changed, if the lock was lost or has a window that is open
     * @throws StoreUnavailableException if there is no answer
     */
    OptionalLong pass(ClaimRef held, LockRequest next);

    /**
     * Has this run whenever the lock has become free and somebody had asked with {@link LockRequest#waits()}, from this
     * moment on until the watch is closed. Signals may be lost or come in vain: those who wait ask again from time to time.
     *
     * @param wake is quick, and runs on the store's thread
     * @return null if the store has no such signals, or cannot give them now
     */
    default @Nullable Watch watch(RecordId id, Runnable wake) {
        return null;
    }
}
