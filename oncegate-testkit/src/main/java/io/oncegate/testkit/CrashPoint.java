package io.oncegate.testkit;

/** A labelled moment in the protocol between an operation and its stores, at which a test can interfere. */
public enum CrashPoint {
    /** Nothing has been sent: before a claim, or before {@code recordFirst}. */
    BEFORE_CLAIM,
    /** The store has claimed, or written the record first; the caller does not know yet. */
    AFTER_CLAIM,
    /** Before a renewal. */
    BEFORE_RENEW,
    /** The store has renewed; the caller does not know yet. */
    AFTER_RENEW,
    /** The business is over: before a settling, or before {@code complete}. */
    BEFORE_SETTLE,
    /** The store has settled, or completed the record; the caller does not know yet. */
    AFTER_SETTLE,
    /** Before a release. */
    BEFORE_RELEASE,
    /** The store has released; the caller does not know yet. */
    AFTER_RELEASE,
    /** Everything is written in the transaction. One that fails here has been rolled back. */
    BEFORE_COMMIT,
    /** The database has committed; the caller does not know yet. */
    AFTER_COMMIT
}
