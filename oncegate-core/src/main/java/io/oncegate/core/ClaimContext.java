package io.oncegate.core;

import io.oncegate.core.key.OperationKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the business may know of the claim under which it runs. Thread-safe; bound to no thread. */
public interface ClaimContext {
    /** The key. */
    OperationKey key();

    /**
     * The claim's number, which rises with each claim of the key: to be carried into writes that a late holder must not
     * make. 0 for a business that runs unprotected.
     */
    long fence();

    /** Whether the claim is still held for certain: its lease has not run out unrenewed, and nobody has taken it over. */
    boolean live();

    /** How long the lease still runs at least, unless it is renewed; zero once the claim is not live. */
    Duration remaining();

    /**
     * What the business has to use to be in the claim's transaction, such as a {@code java.sql.Connection}; null where
     * there is none of this type, as in claimed mode.
     */
    <R> @Nullable R unwrap(Class<R> type);
}
