package io.oncegate.testkit.example;

import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TestClock;
import java.time.Duration;

/** The memory store passes the contract, on a clock that stands still; also the shortest example of a subclass. */
class MemoryRecordStoreTest extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TestClock clock = new TestClock();
    private final MemoryRecordStore store = new MemoryRecordStore(100_000, 64 * 1024 * 1024, clock, MARGIN);

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
        return clock;
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, true, true, false, 1024 * 1024, MARGIN);
    }
}
