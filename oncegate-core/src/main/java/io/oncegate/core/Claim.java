package io.oncegate.core;

import io.oncegate.core.error.OutcomeNotRecordedException;
import org.jspecify.annotations.Nullable;

/**
 * The right to run the business of one call, held from {@link Oncegate#begin} until exactly one of the methods here ends
 * it. The lease is renewed in the background meanwhile. Thread-safe; bound to no thread, except that a claim in a
 * thread-bound transaction has to be ended on the thread that began it.
 *
 * @param <T> the result's type
 */
public interface Claim<T> extends ClaimContext {
    /**
     * The business returned this. Records it, then answers.
     *
     * @return what the caller is to be told: usually {@link Outcome.Executed}; the newer outcome if this claim was lost
     * @throws OutcomeNotRecordedException if it could not be recorded
     * @throws IllegalStateException if the claim has been ended
     */
    Outcome<T> succeed(@Nullable T value);

    /**
     * The business failed with this. Records what the operation's policy says that it means.
     *
     * @return {@link Outcome.Failed} if nothing happened and the key is free, {@link Outcome.Refused} for a refusal that
     *     is kept, {@link Outcome.Unknown} where nobody knows, or the newer outcome if this claim was lost
     * @throws OutcomeNotRecordedException if it could not be recorded
     * @throws IllegalStateException if the claim has been ended
     */
    Outcome<T> fail(Throwable failure);

    /**
     * Nothing has been done and nothing is kept: the key is free again. Never throws for a store that cannot be reached:
     * then the key is free when the lease has run out.
     *
     * @throws IllegalStateException if the claim has been ended
     */
    void release();
}
