package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One transaction that holds a record and the business's rows. Used by one thread at a time. It ends with exactly one
 * {@link #commit()} or {@link #rollback()}.
 */
public interface RecordTransaction {
    /** Whether the transaction is the caller's, who alone decides whether it commits. */
    boolean joined();

    /** Whether it can only be used on the thread that began it. */
    boolean threadBound();

    /**
     * Writes the record, already settled, if the key is free to be run; else reads the record. Nothing is looked up
     * before. The row stays locked until the transaction ends, so a second one for this key waits for at most
     * {@code wait} and is then told that it is held. Fence and times are the database's. The caller's transaction stays
     * usable whatever the answer is.
     *
     * @param settlement what the record says if the transaction commits without {@link #complete}
     * <p>{@code Reconcile} says that the record's outcome is unknown, and that the asker may find out, with the record locked
     * and its having been asked written: then {@link #complete} or {@link #release}.
     *
     * @return {@code Granted} if it was written
     * @throws TransactionDeadException if the database has killed the transaction (a deadlock): roll back, begin again
     * @throws StoreUnavailableException if there is no answer
     */
    ClaimAnswer recordFirst(ClaimRequest request, Settlement settlement, Duration wait);

    /** Sets the point to which {@link #rollbackToSavepoint()} goes back: after the record, before the business. */
    void savepoint();

    /** Undoes what the business did since {@link #savepoint()}; the record stays. */
    void rollbackToSavepoint();

    /**
     * Replaces the settlement of the record that {@link #recordFirst} wrote in this transaction.
     *
     * @throws StoreUnavailableException if that fails, also if the record is not there any more
     */
    void complete(Settlement settlement);

    /**
     * Frees the key of the record that {@link #recordFirst} wrote or let the asker in for in this transaction.
     *
     * @throws StoreUnavailableException if that fails, also if the record is not there any more
     */
    void release();

    /**
     * Commits; does nothing in a joined transaction.
     *
     * @throws StoreUnavailableException if the commit failed or its reply was lost: whether it took effect has to be
     *     found out with {@link #recordFirst} in a new transaction
     */
    void commit();

    /**
     * Undoes record and business: rolls an own transaction back; in a joined one goes back to where it was joined, or
     * marks it so that it can only be rolled back. Throws nothing.
     */
    void rollback();

    /** The resource of this type that the business has to use to be in the transaction, or null if there is none. */
    <R> @Nullable R unwrap(Class<R> type);
}
