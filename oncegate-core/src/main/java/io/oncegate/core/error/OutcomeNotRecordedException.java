package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * The business has run to its end, but its outcome could not be recorded, so it is not answered: a repetition that
 * arrives later could be given another answer. Ask again with the same key to learn the outcome.
 */
public final class OutcomeNotRecordedException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public OutcomeNotRecordedException(String operation, String why, String keyDigest, @Nullable Throwable cause) {
        super(
                "operation " + operation + ": the outcome was not recorded: " + why
                        + "; send the same request again to learn it",
                keyDigest,
                cause);
    }
}
