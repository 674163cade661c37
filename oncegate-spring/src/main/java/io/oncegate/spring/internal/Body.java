package io.oncegate.spring.internal;

import org.jspecify.annotations.Nullable;

/**
 * A piece of business.
 *
 * @param <R> its result
 */
@FunctionalInterface
public interface Body<R> {
    /** Runs it. */
    @Nullable
    R run() throws Throwable;
}
