package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * Nobody knows whether the operation took effect (a remote call timed out). It is neither repeated nor replayed until a
 * reconciler has found out.
 */
public final class OutcomeUnknownException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public OutcomeUnknownException(String operation, String keyDigest, @Nullable Throwable cause) {
        super(
                "operation " + operation + ": the outcome is unknown and is waiting for reconciliation; ask again later"
                        + " with the same key",
                keyDigest,
                cause);
    }
}
