package io.oncegate.core.error;

/**
 * The key carries its birth time, no record of it is left, and it is too old (or too far in the future) to be run: it
 * may have been done before.
 */
public final class KeyExpiredException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final boolean fromFuture;

    /** Creates the exception. */
    public KeyExpiredException(String operation, boolean fromFuture, String keyDigest) {
        super(
                "operation " + operation + ": the key's birth time lies "
                        + (fromFuture ? "in the future; correct the clock that made it" : "before the kept records")
                        + "; look at the business's state, then use a new key",
                keyDigest,
                null);
        this.fromFuture = fromFuture;
    }

    /** Whether the birth time lies in the future rather than too far in the past. */
    public boolean fromFuture() {
        return fromFuture;
    }
}
