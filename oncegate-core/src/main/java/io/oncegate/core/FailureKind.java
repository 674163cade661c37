package io.oncegate.core;

/** What a failure that is no declared refusal means. Declared per operation: the engine cannot know. */
public enum FailureKind {
    /**
     * Nothing happened, and the request may be run again. In same-transaction mode the rollback makes it true; in claimed
     * mode it is the operation's word.
     */
    NOTHING_HAPPENED,
    /** Nobody knows whether it took effect: neither run again nor replayed until it has been reconciled. */
    NOBODY_KNOWS
}
