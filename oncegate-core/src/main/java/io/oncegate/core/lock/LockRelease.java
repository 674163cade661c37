package io.oncegate.core.lock;

/** What came of ending a hold. */
public enum LockRelease {
    /** It was held to this moment, and has been ended. */
    DONE,
    /**
     * It had been lost: its lease ran out, its session ended, or the store forgot it. Others may have been in since. Nothing
     * of theirs was changed.
     */
    LOST,
    /**
     * The store could not be asked, so nobody knows whether it was held to this moment. It is asked again in the background;
     * the lock is free when the lease is over at the latest.
     */
    UNKNOWN
}
