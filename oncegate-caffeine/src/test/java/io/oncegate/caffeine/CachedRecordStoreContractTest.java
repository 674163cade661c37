package io.oncegate.caffeine;

import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.SteppingBackend;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TestClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * With the cache in front, a store still keeps the whole contract, as long as all is done through one instance. It cannot keep
 * it where a second one, with a cache of its own, forgets: that is seen after the longest staleness, as {@link
 * CachedRecordStoreTest} shows.
 */
class CachedRecordStoreContractTest extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final Clock clock = new Clock();
    private final MemoryRecordStore memory = new MemoryRecordStore(100_000, 64 * 1024 * 1024, clock.clock, MARGIN);
    private final CachedRecordStore store =
            CachedRecordStore.of(memory, CachedRecordStore.LONGEST_STALENESS, 1 << 20, clock.elapsed::get);

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
    protected RecordPurger purger() {
        return memory;
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, true, true, false, 1024 * 1024, MARGIN);
    }

    /** The store's clock may step back; the cache's ticker never does. */
    private static final class Clock implements StoreBackend, SteppingBackend {
        private final TestClock clock = new TestClock();
        private final AtomicLong elapsed = new AtomicLong();

        @Override
        public long storeTimeMicros() {
            return clock.micros();
        }

        @Override
        public void passTime(Duration duration) {
            clock.advance(duration);
            elapsed.addAndGet(duration.toNanos());
        }

        @Override
        public void stepBack(Duration duration) {
            clock.stepBack(duration);
        }
    }
}
