package io.oncegate.core.spi;

/** A store's answer to one who wants to forget a record and marks it first. */
public sealed interface MarkAnswer {
    /**
     * The record answers no more, and nobody else holds it.
     *
     * @param fence the mark's number: with it the marker renews the mark, and releases the record
     */
    record Marked(long fence) implements MarkAnswer {}

    /** There is nothing that answers. */
    record Absent() implements MarkAnswer {}

    /** Somebody holds it: his lease has to end first. */
    record Held() implements MarkAnswer {}
}
