package io.oncegate.proof;

/** The instants of an operation at which a process is killed. */
public enum Label {
    /** The store has claimed, or the record is written in the transaction; the engine does not know yet. */
    AFTER_CLAIM,
    /** Half the effect is written in a transaction. */
    INSIDE_BUSINESS,
    /** All of the transaction that holds the effect is written; its commit has not been sent. */
    COMMIT_UNSENT,
    /** The transaction that holds the effect is committed; its reply has not been read. */
    COMMIT_UNANSWERED,
    /** The business has returned; its outcome has not been sent to the store. */
    AFTER_EFFECT_BEFORE_SETTLE,
    /** The outcome is recorded; the caller has not been answered. */
    AFTER_SETTLE_BEFORE_ANSWER
}
