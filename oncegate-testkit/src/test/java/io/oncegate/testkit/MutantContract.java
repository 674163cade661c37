package io.oncegate.testkit;

import io.oncegate.core.spi.RecordStore;
import java.time.Duration;

/** The contract over the store that is being broken just now; {@link ContractMutationTest} runs it. */
class MutantContract extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);
    private static volatile Mutant mutant = new Mutant();

    private final TestClock clock = new TestClock();
    private final MachineStore store = new MachineStore(clock, MARGIN, mutant);

    static void breakWith(Mutant broken) {
        mutant = broken;
    }

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
        return new StoreAbilities(true, true, false, false, 1024 * 1024, MARGIN);
    }
}
