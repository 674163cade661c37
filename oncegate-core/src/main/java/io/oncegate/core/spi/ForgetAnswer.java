package io.oncegate.core.spi;

/** A store's answer to an operator who wants a record forgotten. */
public enum ForgetAnswer {
    /** The record no longer answers; it keeps its fence. */
    FORGOTTEN,
    /** There was nothing to forget. */
    ABSENT,
    /** Somebody holds it: its lease has to end first. */
    HELD
}
