package io.oncegate.testkit.example;

import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import java.time.Duration;

/** The contract copes with a clock that runs by itself, as a server's does. */
class RealClockMemoryStoreTest extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TimeSource time = TimeSource.system();
    private final MemoryRecordStore store = new MemoryRecordStore(100_000, 64 * 1024 * 1024, time, MARGIN);

    @Override
    protected RecordStore store() {
        return store;
    }

    @Override
    protected RecordStore twin() {
        return store;
    }

    @Override
    protected StoreBackend backend() {
        return StoreBackend.withRealClock(time::micros);
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, true, true, false, 1024 * 1024, MARGIN);
    }
}
