package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * Root of every exception that the toolkit throws of its own. Expected answers (held, mismatch, replay) are values of
 * {@code Outcome}; an exception means failure, misuse, or that the caller asked for the value and there is none.
 */
public abstract class OncegateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String keyDigest;

    /**
     * Creates the exception.
     *
     * @param message what happened, ending with what to do about it
     * @param keyDigest short digest of the key, as it appears in logs, or null when no key was read yet
     * @param cause what it was caused by, or null
     */
    protected OncegateException(String message, @Nullable String keyDigest, @Nullable Throwable cause) {
        super(keyDigest == null ? message : message + " [key " + keyDigest + "]", cause);
        this.keyDigest = keyDigest;
    }

    /** The short digest of the key, never the key itself; null when no key had been read. */
    public @Nullable String keyDigest() {
        return keyDigest;
    }
}
