package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * The operation was done, and is not run again, but its result is no longer there: dropped after its own retention, too
 * large or not encodable when it was made, or not readable as the declared type any more.
 */
public final class ResultUnavailableException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final String state;

    /** Creates the exception. */
    public ResultUnavailableException(String operation, String state, String keyDigest, @Nullable Throwable cause) {
        super(
                "operation " + operation + " is done (" + state
                        + ") but its result is not available; read the business's own state instead",
                keyDigest,
                cause);
        this.state = state;
    }

    /** How it ended: {@code succeeded} or {@code refused}. */
    public String state() {
        return state;
    }
}
