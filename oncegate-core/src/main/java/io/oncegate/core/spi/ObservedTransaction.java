package io.oncegate.core.spi;

import java.util.function.Consumer;

/**
 * An ability of a {@link RecordTransaction} that is the caller's: to tell how it ends, long after the record was written in
 * it. Used on the transaction's thread, before {@link RecordTransaction#commit()}.
 */
public interface ObservedTransaction {
    /** How a transaction ended, as far as the record in it goes. */
    enum End {
        /** The record is committed. */
        COMMITTED,
        /** The record is gone: the transaction was rolled back, or went back to a savepoint from before the record. */
        ROLLED_BACK,
        /** Nobody knows. */
        UNKNOWN
    }

    /**
     * Asks to be told once how it ended, never before that is so.
     *
     * @param listener is called on the transaction's thread and throws nothing
     * @return false if it cannot tell; the listener is never called then
     */
    boolean whenEnded(Consumer<End> listener);
}
