package io.oncegate.core;

import org.jspecify.annotations.Nullable;

/**
 * The business.
 *
 * @param <T> what it returns
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface Work<T, E extends Exception> {
    /** Runs it once. */
    @Nullable
    T run(ClaimContext claim) throws E;
}
