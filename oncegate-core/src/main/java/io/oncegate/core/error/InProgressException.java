package io.oncegate.core.error;

import java.time.Duration;

/** The same request is being worked on right now. Ask again after {@link #retryAfter()}. */
public final class InProgressException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /** Creates the exception. */
    public InProgressException(String operation, Duration retryAfter, String keyDigest) {
        super(
                "operation " + operation + " is in progress for this key; ask again in " + retryAfter.toMillis()
                        + " ms with the same key",
                keyDigest,
                null);
        this.retryAfter = retryAfter;
    }

    /** How long the present claim's lease still runs at most, unless it is renewed. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
