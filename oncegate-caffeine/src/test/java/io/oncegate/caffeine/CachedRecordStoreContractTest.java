package io.oncegate.caffeine;

import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TestClock;
import java.time.Duration;

/**
 * With the cache in front, a store still keeps the whole contract as far as one handle can tell; a second handle that
 * forgets, or a clock that steps back, is seen after the longest staleness, which is 1 ms here.
 */
class CachedRecordStoreContractTest extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TestClock clock = new TestClock();
    private final MemoryRecordStore memory = new MemoryRecordStore(100_000, 64 * 1024 * 1024, clock, MARGIN);
    private final CachedRecordStore store =
            CachedRecordStore.of(memory, Duration.ofMillis(1), 1 << 20, () -> clock.micros() * 1000);

    @Override
    protected RecordStore store() {
        return store;
    }

    @Override
    protected RecordStore twin() {
        return memory;
    }

    @Override
    protected StoreBackend backend() {
        return clock;
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, false, true, false, 1024 * 1024, MARGIN);
    }
}
