package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;

/** The database ended the transaction by itself, as it does with the victim of a deadlock. Nothing of it remains. */
public final class TransactionDeadException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public TransactionDeadException(String store, Throwable cause) {
        super(store, "the database has ended the transaction (deadlock or conflict); send the request again", cause);
    }
}
