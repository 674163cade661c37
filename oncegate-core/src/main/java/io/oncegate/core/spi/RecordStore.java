package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;
import java.time.Duration;

/**
 * Keeps records apart from the business's own data, for <em>claimed</em> mode. An implementation makes each decision of
 * {@link RecordMachine} atomic on its backend; it decides nothing by itself. Thread-safe.
 *
 * <p>For every method:
 *
 * <ul>
 *   <li>Atomic: the decision and its effect on the one record. Of two that race, one sees the other's effect.
 *   <li>Clock: only the backend's own, read after the record is locked. The node's clock counts for nothing.
 *   <li>Time: the method returns within the bound that the store is configured with.
 *   <li>Failure: {@link StoreUnavailableException} says that there is no answer. The call may or may not have had its
 *       effect; sent again by the same attempt it is answered as if it were sent once, except that a release that was done
 *       is answered {@link HolderAnswer#LOST} the second time, for the record no longer knows a holder.
 *   <li>Interrupt: an interrupted call ends in {@code StoreUnavailableException} with the thread's interrupt flag set.
 * </ul>
 */
public interface RecordStore {
    /** A short name for messages, such as {@code redis} or {@code jdbc:oncegate_record}; no secrets. */
    String name();

    /**
     * Claims the record or reads it, in one round trip where the record is absent or answers.
     *
     * <p>Who wins: the first to reach the backend; the others get the record with the refusal. A crash afterwards leaves a
     * running record whose lease runs out by itself.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    ClaimAnswer claim(ClaimRequest request);

    /**
     * Moves the lease's end to the store's present time plus this lease.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    HolderAnswer renew(ClaimRef claim, Duration lease);

    /**
     * Ends the claim with an outcome and keeps the record's fingerprint.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    HolderAnswer settle(ClaimRef claim, Settlement settlement);

    /**
     * Ends the claim with nothing done; the record keeps its fence.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    HolderAnswer release(ClaimRef claim);
}
