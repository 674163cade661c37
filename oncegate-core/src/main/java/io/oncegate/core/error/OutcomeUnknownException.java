package io.oncegate.core.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Nobody knows whether the operation took effect (a remote call timed out). It is neither repeated nor replayed until a
 * reconciler has found out.
 */
public final class OutcomeUnknownException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    /** Creates the exception. */
    public OutcomeUnknownException(
            String operation, @Nullable Duration retryAfter, String keyDigest, @Nullable Throwable cause) {
        super(
                "operation " + operation + ": the outcome is unknown and is waiting for reconciliation; ask again "
                        + (retryAfter == null ? "later" : "in " + retryAfter.toMillis() + " ms") + " with the same key",
                keyDigest,
                cause);
        this.retryAfter = retryAfter;
    }

    /** When a reconciler is asked next; null where that is not known or will not be. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
