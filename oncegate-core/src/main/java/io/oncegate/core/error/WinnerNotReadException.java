package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * A constraint has refused a row because another one is there, and that one was not to be read. Nothing was inserted; the
 * caller's transaction is as it was before. The message says why and what to do.
 */
public final class WinnerNotReadException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what happened, ending with what to do about it
     * @param keyDigest short digest of the guard's values, or null
     */
    public WinnerNotReadException(String message, @Nullable String keyDigest) {
        super(message, keyDigest, null);
    }
}
