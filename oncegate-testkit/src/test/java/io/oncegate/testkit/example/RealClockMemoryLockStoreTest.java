package io.oncegate.testkit.example;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.testkit.LockStoreAbilities;
import io.oncegate.testkit.LockStoreContract;
import io.oncegate.testkit.StoreBackend;
import java.time.Duration;

/** The contract of lock stores copes with a clock that runs by itself, as a server's does. */
class RealClockMemoryLockStoreTest extends LockStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TimeSource time = TimeSource.system();
    private final MemoryLockStore store = new MemoryLockStore(100_000, time, MARGIN);
    private final LockRequest sweeper = LockRequest.of(
            OperationKey.of("sweep", Scope.of("contract"), "sweep").id(), "sweep", Duration.ofDays(1), null);
    private boolean swept;

    @Override
    protected LockStore store() {
        return store;
    }

    @Override
    protected LockStore twin() {
        return store;
    }

    @Override
    protected StoreBackend backend() {
        return StoreBackend.withRealClock(time::micros);
    }

    /** Each test has a store of its own, and asks for this while it has one lock alone. */
    @Override
    protected boolean kept(RecordId id) {
        return store.size() > (swept ? 1 : 0);
    }

    /** The store sweeps a little with every acquisition. */
    @Override
    protected void sweep() {
        for (int i = 0; i < 4; i++) {
            var ignored = store.acquire(sweeper);
        }
        swept = true;
    }

    @Override
    protected LockStoreAbilities abilities() {
        return new LockStoreAbilities(true, 1024 * 1024, MARGIN, 500, 20);
    }
}
