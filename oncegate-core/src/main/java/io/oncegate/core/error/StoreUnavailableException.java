package io.oncegate.core.error;

import org.jspecify.annotations.Nullable;

/**
 * A store did not answer in its bounded time, or answered with a failure of its own. From an {@code Oncegate} it means that
 * the business has not begun, or has been rolled back: nothing has happened, and the same request may be sent again. From a
 * store itself it says that there is no answer; the call may have been applied all the same.
 */
public class StoreUnavailableException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private final String store;

    /**
     * Creates the exception.
     *
     * @param store name of the store, as in {@code RecordStore.name()}
     * @param message what happened and what to do
     * @param cause the driver's exception, or null
     */
    public StoreUnavailableException(String store, String message, @Nullable Throwable cause) {
        super("store " + store + ": " + message, null, cause);
        this.store = store;
    }

    /** The name of the store that failed. */
    public String store() {
        return store;
    }
}
