package io.oncegate.core;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;

/**
 * What goes along with a transaction of same-transaction mode and is told how it comes on: nothing, or a ladder's claim in
 * its fast store. Throws nothing, and decides nothing.
 */
interface FastSide {
    /** Nothing goes along. */
    FastSide NONE = new FastSide() {};

    /** A statement is about to be sent that writes the record with its retention's end. */
    default void writing() {}

    /** The record is written and the business begins. */
    default void started(RecordTransaction transaction) {}

    /** The business is over, and the outcome is about to be written and committed. */
    default void ending() {}

    /**
     * The record is committed so.
     *
     * @param settlement what it says, with its whole retention
     */
    default void committed(Settlement settlement) {}

    /**
     * The outcome is written in the caller's transaction, who has still to commit it.
     *
     * @param settlement what the record says if he does, with its whole retention
     */
    default void left(RecordTransaction transaction, Settlement settlement) {}

    /** The record answered, and was changed by nobody here. */
    default void answered(RecordTransaction transaction, ClaimAnswer answer) {}

    /** The transaction is over, and nothing of it is left; what goes along goes on until the outcome is written anew. */
    default void parted() {}

    /** The transaction is over, and how is known or for the judge to say. */
    default void over() {}

    /** The transaction is over, and nobody knows how. */
    default void unknown() {}
}
