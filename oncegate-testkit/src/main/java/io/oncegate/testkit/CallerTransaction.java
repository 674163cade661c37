package io.oncegate.testkit;

import io.oncegate.core.spi.RecordTransaction;

/** A transaction that the caller of a store has begun and alone ends. */
public interface CallerTransaction extends AutoCloseable {
    /** What {@code TransactionalRecordStore.begin()} gives inside this transaction: {@code joined()} is true. */
    RecordTransaction join();

    /** Commits. */
    void commit();

    /** Rolls back. */
    void rollback();

    /** Rolls back if it is still open, and gives its resources back. */
    @Override
    void close();
}
