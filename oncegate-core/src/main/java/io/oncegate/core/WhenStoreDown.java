package io.oncegate.core;

/** What happens to a request while the store cannot be asked. */
public enum WhenStoreDown {
    /** It is refused with {@code StoreUnavailableException}. The default. */
    REFUSE,
    /** It runs without protection, is counted, and is answered as {@link Outcome.Unprotected}. Claimed mode only. */
    RUN_UNPROTECTED
}
