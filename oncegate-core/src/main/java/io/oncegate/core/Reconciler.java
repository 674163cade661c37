package io.oncegate.core;

import io.oncegate.core.key.OperationKey;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what became of an operation whose outcome nobody knew, for instance by asking the remote side. One at a time
 * for a key, under a claim of its own. Asked by {@link ReconcilePolicy}, on a thread of the instance, outside any
 * transaction, and for a lease at most: then it is interrupted and counts as {@link Finding.StillUnknown}. Thread-safe.
 *
 * @param <T> the result's type
 */
@FunctionalInterface
public interface Reconciler<T> {
    /** Finds out. An exception counts as {@link Finding.StillUnknown}. */
    Finding<T> reconcile(OperationKey key, ClaimContext claim) throws Exception;

    /**
     * What was found.
     *
     * @param <T> the result's type
     */
    sealed interface Finding<T> {
        /** It was done, with this result. */
        record Done<T>(@Nullable T value) implements Finding<T> {}

        /**
         * It was not done and never will be: the key is free again. To be said only after the deadline until which the
         * remote side might still do it.
         */
        record NotDone<T>() implements Finding<T> {}

        /** Nobody knows yet. */
        record StillUnknown<T>() implements Finding<T> {}
    }
}
