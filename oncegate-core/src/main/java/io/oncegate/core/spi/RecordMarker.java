package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import java.time.Duration;

/**
 * An ability of a store that judges behind a faster one: takes a record out of answering before it is forgotten in both.
 * Thread-safe.
 */
public interface RecordMarker {
    /**
     * Marks a record that nobody holds, as {@link RecordMachine#mark}. Atomic; of two markers one is told that it is held. A
     * crash afterwards leaves a record that neither runs nor replays, and can be marked again when the lease is over. The
     * mark ends by {@link RecordStore#release}, which frees the key.
     *
     * @param attempt who marks, this time
     * @param lease how long others are held, by the store's clock
     * @throws StoreUnavailableException if there is no answer
     */
    MarkAnswer mark(RecordId id, AttemptId attempt, Duration lease);
}
