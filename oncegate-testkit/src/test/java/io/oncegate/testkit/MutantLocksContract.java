package io.oncegate.testkit;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** The contract over the locks that are being broken just now; {@link LocksContractMutationTest} runs it. */
class MutantLocksContract extends LocksContract {
    private static final Duration MARGIN = Duration.ofMillis(20);
    private static volatile LockMutant brokenStore = new LockMutant();
    private static volatile UnaryOperator<Locks> breaking = UnaryOperator.identity();

    private final MachineLockStore backend = new MachineLockStore(TimeSource.system(), MARGIN, brokenStore);
    private final FaultyLockStore network = new FaultyLockStore(backend);
    private final List<Locks> all = new ArrayList<>();
    private final Locks locks = broken(network);
    private final Locks twin = broken(new FaultyLockStore(backend));

    static void breakWith(LockMutant store, UnaryOperator<Locks> how) {
        brokenStore = store;
        breaking = how;
    }

    private Locks broken(FaultyLockStore store) {
        Locks right = LeasedLocks.of(store);
        all.add(right);
        return breaking.apply(right);
    }

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
        Locks itsLocks = broken(itsNetwork);
        return new DoomedProcess() {
            @Override
            public Locks locks() {
                return itsLocks;
            }

            @Override
            public void die() {
                itsNetwork.down(true);
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

    @Override
    protected long leftOvers(OperationKey key) {
        return backend.keeps(key.id()) ? 1 : 0;
    }

    @Override
    protected void sweep() {
        backend.sweep();
    }

    @Override
    protected LocksAbilities abilities() {
        return new LocksAbilities(true, true, true, true, SHORT_LEASE, Duration.ofMillis(40), 30, 30);
    }

    @AfterEach
    void closes() {
        all.forEach(Locks::close);
    }
}
