package io.oncegate.core.error;

/** A row or its history has a state that the machine does not have. Nothing was done. */
public final class UnknownStateException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param machine the machine's name
     * @param table the table's name
     * @param keyDigest short digest of the key
     */
    public UnknownStateException(String machine, String table, String keyDigest) {
        super(
                "machine " + machine + ": a row of " + table
                        + " has no state, or one that this machine does not have; migrate the rows before states are renamed or"
                        + " removed, and let no other writer change them",
                keyDigest,
                null);
    }
}
