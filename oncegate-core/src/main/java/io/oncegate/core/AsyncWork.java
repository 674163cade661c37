package io.oncegate.core;

import java.util.concurrent.CompletionStage;

/**
 * A business that goes on after its method has returned.
 *
 * @param <T> what it results in
 */
@FunctionalInterface
public interface AsyncWork<T> {
    /** Starts it once. */
    CompletionStage<T> start(ClaimContext claim) throws Exception;
}
