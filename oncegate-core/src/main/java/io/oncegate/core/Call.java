package io.oncegate.core;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;

/**
 * One request to run an operation: which, for whom, under which key, and what is asked for. Made by
 * {@link Operation#call}. Immutable.
 *
 * @param operation the operation with its policies
 * @param key operation, scope and value
 * @param fingerprint what is asked for
 * @param <T> the result's type
 */
public record Call<T>(Operation<T> operation, OperationKey key, Fingerprint fingerprint) {
    /** Checks that the key is one of this operation's. */
    public Call {
        if (!key.operation().equals(operation.name())) {
            throw new IllegalArgumentException(
                    "a key of " + key.operation() + " cannot call " + operation.name() + "; use Operation.call");
        }
    }
}
