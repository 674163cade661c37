package io.oncegate.testkit.example;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.testkit.DoomedProcess;
import io.oncegate.testkit.FaultyLockStore;
import io.oncegate.testkit.LocksAbilities;
import io.oncegate.testkit.LocksContract;
import io.oncegate.testkit.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Locks in memory pass the contract; also an example of a subclass for stores with leases. */
class MemoryLocksTest extends LocksContract {
    private final MemoryLockStore backend = new MemoryLockStore(100_000, TimeSource.system(), Duration.ofMillis(20));
    private final FaultyLockStore network = new FaultyLockStore(backend);
    private final Locks locks = LeasedLocks.of(network);
    private final Locks twin = LeasedLocks.of(backend);
    private final List<Locks> doomed = new ArrayList<>();
    private final LockRequest sweeper = LockRequest.of(
            OperationKey.of("sweep", Scope.of("contract"), "sweep").id(), "sweep", Duration.ofDays(1), null);
    private boolean swept;

    @Override
    protected Locks locks() {
        return locks;
    }

    @Override
    protected Locks twin() {
        return twin;
    }

    @Override
    protected DoomedProcess doomed() {
        FaultyLockStore itsNetwork = new FaultyLockStore(backend);
        Locks itsLocks = LeasedLocks.of(itsNetwork);
        doomed.add(itsLocks);
        return new DoomedProcess() {
            @Override
            public Locks locks() {
                return itsLocks;
            }

            @Override
            public void die() {
                itsNetwork.down(true);
                itsLocks.close();
            }
        };
    }

    @Override
    protected Outage outage() {
        return new Outage() {
            @Override
            public void begin() {
                network.down(true);
            }

            @Override
            public void end() {
                network.down(false);
            }
        };
    }

    /** Each test has a store of its own, which shows how many locks it keeps, and no single one of them. */
    @Override
    protected long leftOvers(OperationKey key) {
        return backend.size() - (swept ? 1 : 0);
    }

    /** The store sweeps a little with every acquisition. */
    @Override
    protected void sweep() {
        for (int i = 0; i < 4; i++) {
            var ignored = backend.acquire(sweeper);
        }
        swept = true;
    }

    @Override
    protected LocksAbilities abilities() {
        return new LocksAbilities(true, true, true, true, SHORT_LEASE, Duration.ofMillis(40), 500, 100);
    }

    @AfterEach
    void closes() {
        locks.close();
        twin.close();
        doomed.forEach(Locks::close);
    }
}
