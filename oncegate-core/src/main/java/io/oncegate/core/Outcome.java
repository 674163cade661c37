package io.oncegate.core;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.KeyExpiredException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.key.OperationKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a call. Every expected answer is one of these; {@link #orElseThrow()} turns it into the value or a typed
 * exception. Immutable.
 *
 * @param <T> the result's type
 */
public sealed interface Outcome<T> {
    /** The business ran now, and its outcome is recorded. */
    record Executed<T>(@Nullable T value) implements Outcome<T> {}

    /** The business ran earlier; this is its stored result. */
    record Replayed<T>(@Nullable T value) implements Outcome<T> {}

    /** The business ran now without any protection, because the store was down and the operation chose so. */
    record Unprotected<T>(@Nullable T value) implements Outcome<T> {}

    /**
     * A definitive business refusal.
     *
     * @param refusal the refusal: thrown by the business now, or made again from what was stored
     * @param replayed whether it was stored earlier
     */
    record Refused<T>(RuntimeException refusal, boolean replayed) implements Outcome<T> {}

    /**
     * The same request is being worked on.
     *
     * @param retryAfter when to ask again
     */
    record Held<T>(OperationKey key, Duration retryAfter) implements Outcome<T> {}

    /**
     * The key was used for another request.
     *
     * @param parts what differed
     */
    record Mismatch<T>(OperationKey key, List<String> parts) implements Outcome<T> {}

    /**
     * The business ran earlier and is not run again, but its result is no longer available.
     *
     * @param refused whether it ended in a refusal
     */
    record NoResult<T>(OperationKey key, boolean refused) implements Outcome<T> {}

    /**
     * Nobody knows whether the business took effect.
     *
     * @param cause the failure that left it unknown, if that was now
     * @param retryAfter when a reconciler is asked next, or null where that is not known or will not be
     */
    record Unknown<T>(
            OperationKey key,
            @Nullable Throwable cause,
            @Nullable Duration retryAfter) implements Outcome<T> {}

    /**
     * The key's birth time forbids to run it, and no record of it is left.
     *
     * @param fromFuture whether it lies in the future
     */
    record Expired<T>(OperationKey key, boolean fromFuture) implements Outcome<T> {}

    /**
     * The business failed, nothing happened, and the key is free. Only {@link Claim#fail} and asynchronous calls answer
     * so; {@link Oncegate#run} throws the failure itself.
     */
    record Failed<T>(Throwable failure) implements Outcome<T> {}

    /** Whether the answer was stored by an earlier run. */
    default boolean replayed() {
        return this instanceof Replayed || (this instanceof Refused<T> refused && refused.replayed());
    }

    /**
     * The result's value.
     *
     * @throws RuntimeException the refusal or failure itself, or the exception of the error package that names the case
     */
    default @Nullable T orElseThrow() {
        if (this instanceof Executed<T> executed) {
            return executed.value();
        } else if (this instanceof Replayed<T> replayed) {
            return replayed.value();
        } else if (this instanceof Unprotected<T> unprotected) {
            return unprotected.value();
        } else if (this instanceof Refused<T> refused) {
            throw refused.refusal();
        } else if (this instanceof Held<T> held) {
            throw new InProgressException(
                    held.key().operation(), held.retryAfter(), held.key().digest());
        } else if (this instanceof Mismatch<T> mismatch) {
            throw new MismatchException(
                    mismatch.key().operation(), mismatch.parts(), mismatch.key().digest());
        } else if (this instanceof NoResult<T> none) {
            String state = none.refused() ? "refused" : "succeeded";
            throw new ResultUnavailableException(
                    none.key().operation(), state, none.key().digest(), null);
        } else if (this instanceof Unknown<T> unknown) {
            throw new OutcomeUnknownException(
                    unknown.key().operation(),
                    unknown.retryAfter(),
                    unknown.key().digest(),
                    unknown.cause());
        } else if (this instanceof Expired<T> expired) {
            throw new KeyExpiredException(
                    expired.key().operation(),
                    expired.fromFuture(),
                    expired.key().digest());
        } else {
            throw Sneaky.rethrow(((Failed<T>) this).failure());
        }
    }
}
