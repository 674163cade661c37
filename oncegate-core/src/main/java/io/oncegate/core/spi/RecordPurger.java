package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;

/** An ability of stores whose backend does not forget by itself. Thread-safe; several instances may purge at once. */
public interface RecordPurger {
    /**
     * What a batch did.
     *
     * @param deleted records that went
     * @param resultsDropped records whose result went
     */
    record Purged(int deleted, int resultsDropped) {
        /** Whether the batch found nothing to do. */
        public boolean isEmpty() {
            return deleted == 0 && resultsDropped == 0;
        }
    }

    /**
     * Sweeps at most this many records that are due, in one short transaction of its own, by the rule of
     * {@link RecordMachine#sweep}. Records that others hold locked are left for a later batch.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    Purged purge(int limit);
}
