package io.oncegate.core.error;

/** A write was refused because a newer holder of the same lock or claim has been there. The write changed nothing. */
public final class StaleFenceException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final long fence;
    private final long newestFence;

    /**
     * Creates the exception.
     *
     * @param operation the name of the business action
     * @param fence the refused holder's number
     * @param newestFence the number that is there already, higher than that one
     * @param keyDigest short digest of the key
     */
    public StaleFenceException(String operation, long fence, long newestFence, String keyDigest) {
        super(
                "operation " + operation + ": the holder with fence " + fence
                        + " has lost its hold, and the one with fence "
                        + newestFence
                        + " has been here; roll back all of this holder's work, and begin anew with a hold"
                        + " of its own if it is still wanted",
                keyDigest,
                null);
        this.fence = fence;
        this.newestFence = newestFence;
    }

    /** The refused holder's number. */
    public long fence() {
        return fence;
    }

    /** The number that was there already. */
    public long newestFence() {
        return newestFence;
    }
}
