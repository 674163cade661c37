package io.oncegate.core;

import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.util.concurrent.CompletionStage;

/**
 * Makes an operation's effect happen once although its request comes twice, and gives every repetition the first answer.
 * Thread-safe.
 *
 * <p>An instance works in one of two modes, or in a ladder of both. In <em>claimed</em> mode the record lives apart from the effect: one live
 * holder, takeover after a crash, a late holder cannot settle over a newer one; a crash between effect and settle lets the
 * effect run again. In <em>same-transaction</em> mode record and effect commit together: the effect happens exactly once. The
 * <em>ladder</em> is same-transaction mode behind a fast store, which answers repetitions; what that store loses costs speed
 * and nothing else.
 */
public interface Oncegate extends AutoCloseable {
    /**
     * Runs the business if this call is the first of its key, else answers without running it.
     *
     * @return what became of the call; never {@link Outcome.Failed}
     * @throws E what the business threw, if by the operation's policy nothing happened
     * @throws StoreUnavailableException if the store cannot be asked; nothing has happened
     * @throws OutcomeNotRecordedException if the business has run and its outcome could not be recorded
     */
    <T, E extends Exception> Outcome<T> run(Call<T> call, Work<? extends T, E> work) throws E;

    /**
     * The same for a business that goes on after its method has returned; settled when its stage completes. Never blocks
     * the calling thread: the store is asked, and the business started, on the instance's own threads.
     *
     * @return completes with the outcome, {@link Outcome.Failed} included, or exceptionally as {@link #run} throws
     */
    <T> CompletionStage<Outcome<T>> runAsync(Call<T> call, AsyncWork<T> work);

    /**
     * The first half of {@link #run}, for those who run the business elsewhere and end the claim when it has come to its
     * real end.
     *
     * @throws StoreUnavailableException if the store cannot be asked; nothing has happened
     */
    <T> Begun<T> begin(Call<T> call);

    /**
     * Refuses an operation that no call here could run, so that it is found at start-up: one whose result the codec cannot
     * store, or whose policies do not belong to the instance's mode. Each call checks the same.
     *
     * @throws IllegalArgumentException if it cannot be run here; the message says why
     */
    void check(Operation<?> operation);

    /** Whether record and effect commit together, as in same-transaction mode and in a ladder; else in claimed mode. */
    default boolean inSameTransaction() {
        return this instanceof SameTransactionOncegate;
    }

    /** Stops the background threads. Claims that are held are not renewed any more and can still be ended. */
    @Override
    void close();

    /** Builds an instance in claimed mode. */
    static OncegateBuilder claimed(RecordStore store) {
        return new OncegateBuilder(store, null);
    }

    /** Builds an instance in same-transaction mode. */
    static OncegateBuilder sameTransaction(TransactionalRecordStore store) {
        return new OncegateBuilder(null, store);
    }

    /**
     * Builds a ladder: a fast store that answers repetitions and keeps twins away, before a judge that decides.
     *
     * @param fast such as a Redis store; it may lose everything at any time, or be down
     * @param judge in the transaction of the business
     * @throws IllegalArgumentException if both have one name, as on one table
     */
    static OncegateBuilder ladder(RecordStore fast, TransactionalRecordStore judge) {
        LadderOncegate.requireTwoStores(fast, judge);
        return new OncegateBuilder(fast, judge);
    }
}
