package io.oncegate.core.error;

/** There is no row with exactly this key. Nothing was done. */
public final class MissingEntityException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param machine the machine's name
     * @param table the table's name
     * @param keyDigest short digest of the row's key
     */
    public MissingEntityException(String machine, String table, String keyDigest) {
        super(
                "machine " + machine + ": the table " + table
                        + " has no row with exactly this key; fire the event once the"
                        + " row is there, and look for another spelling of the key",
                keyDigest,
                null);
    }
}
