package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;

/**
 * Keeps records in the database and the transaction of the business itself, for <em>same-transaction</em> mode.
 * Thread-safe.
 */
public interface TransactionalRecordStore {
    /** A short name for messages; no secrets. */
    String name();

    /**
     * Joins the caller's transaction if there is one, else begins one.
     *
     * @throws StoreUnavailableException if that fails
     */
    RecordTransaction begin();
}
