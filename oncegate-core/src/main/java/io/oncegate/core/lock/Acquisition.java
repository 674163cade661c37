package io.oncegate.core.lock;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.Payload;
import java.time.Duration;

/**
 * What came of asking for a lock.
 *
 * @param <L> what is acquired: one lock, or several
 */
public sealed interface Acquisition<L> {
    /** It is held from now on, and has to be ended. */
    record Acquired<L>(L lock) implements Acquisition<L> {}

    /**
     * Another acquisition holds it, or its window is open.
     *
     * @param key what was refused
     * @param retryAfter how long that lasts at most, unless it is renewed
     */
    record Refused<L>(OperationKey key, Duration retryAfter) implements Acquisition<L> {}

    /**
     * The run that was met has been completed, and this is its result.
     *
     * @param key whose it is
     */
    record Answered<L>(OperationKey key, Payload result) implements Acquisition<L> {}

    /**
     * What was acquired.
     *
     * @throws InProgressException if it was refused
     * @throws IllegalStateException if there is a result instead, which only those get who ask for it
     */
    default L orElseThrow() {
        if (this instanceof Acquired<L> acquired) {
            return acquired.lock();
        }
        if (this instanceof Refused<L> refused) {
            throw new InProgressException(
                    refused.key().operation(),
                    refused.retryAfter(),
                    refused.key().digest());
        }
        throw new IllegalStateException("there is a result instead of a lock; look at the acquisition's type first");
    }
}
