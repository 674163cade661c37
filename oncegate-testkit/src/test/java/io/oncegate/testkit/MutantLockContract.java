package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore;
import java.time.Duration;

/** The contract over the lock store that is being broken just now; {@link LockContractMutationTest} runs it. */
class MutantLockContract extends LockStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);
    private static volatile LockMutant mutant = new LockMutant();

    private final TestClock clock = new TestClock();
    private final MachineLockStore store = new MachineLockStore(clock, MARGIN, mutant);

    static void breakWith(LockMutant broken) {
        mutant = broken;
    }

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
        return clock;
    }

    @Override
    protected boolean kept(RecordId id) {
        return store.keeps(id);
    }

    @Override
    protected void sweep() {
        store.sweep();
    }

    @Override
    protected LockStoreAbilities abilities() {
        return new LockStoreAbilities(true, 1024, MARGIN, 30, 10);
    }
}
