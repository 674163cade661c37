package io.oncegate.testkit;

import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;

/** What the subclass of a {@link TransactionalRecordStoreContract} supplies. */
abstract class TransactionalRecordStoreFixture {
    /**
     * The store, outside any caller's transaction: {@code begin()} begins one of its own. 64 threads may
     * ask at once: with fewer connections they wait for one. At least 4 are needed.
     */
    protected abstract TransactionalRecordStore store();

    /** A second handle on the same database, as another process would have it. */
    protected abstract TransactionalRecordStore twin();

    /** The database itself. */
    protected abstract StoreBackend backend();

    /** Begins a transaction as a caller would, for {@link CallerTransaction#join()}. */
    protected abstract CallerTransaction beginAsCaller();

    /** Inserts a row into a table of the business, in this transaction. Several rows may have one name. */
    protected abstract void insertBusinessRow(RecordTransaction transaction, String name);

    /** How many rows of this name the transaction sees, by a plain read. */
    protected abstract int countBusinessRows(RecordTransaction transaction, String name);

    /** How many rows of this name are committed, read outside every transaction of the test. */
    protected abstract int countBusinessRows(String name);
}
