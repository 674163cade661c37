package io.oncegate.jdbc;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.testkit.DoomedProcess;
import io.oncegate.testkit.LocksAbilities;
import io.oncegate.testkit.LocksContract;
import io.oncegate.testkit.Outage;
import io.oncegate.testsupport.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of locks on one setup. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcLocksChecks extends LocksContract {
    private static final Duration PATIENT = Duration.ofSeconds(20);
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TestSetup setup;
    private final List<Locks> opened = new ArrayList<>();
    private TestSetup.Open open;
    private JdbcLockStore keeper;
    private CutOff line;
    private Locks locks;
    private Locks twin;

    JdbcLocksChecks(TestSetup setup) {
        this.setup = setup;
    }

    @BeforeAll
    void open() {
        open = setup.open();
        JdbcSchema.locks(open.small).create();
        line = CutOff.of(open);
        JdbcLockStore patient = store(line.source(), PATIENT);
        locks = locks(
                Patience.unless(line::isCut, LockStore.class, patient, store(line.source(), Duration.ofSeconds(2))));
        keeper = store(open.pool(8), PATIENT);
        twin = locks(keeper);
    }

    private JdbcLockStore store(DataSource source, Duration timeout) {
        return open.locks(source).timeout(timeout).purgeMargin(MARGIN).build();
    }

    private Locks locks(LockStore store) {
        Locks made = LeasedLocks.of(store);
        opened.add(made);
        return made;
    }

    @AfterAll
    void close() {
        opened.forEach(Locks::close);
        line.close();
        open.close();
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
        Locks its = locks(store(open.pool(2), PATIENT));
        return new DoomedProcess() {
            @Override
            public Locks locks() {
                return its;
            }

            @Override
            public void die() {
                its.close();
            }
        };
    }

    @Override
    protected Outage outage() {
        return line;
    }

    @Override
    protected long leftOvers(OperationKey key) {
        return open.lockRows(key.id());
    }

    @Override
    protected void sweep() {
        while (keeper.purge(100) > 0) {}
    }

    @Override
    protected LocksAbilities abilities() {
        return new LocksAbilities(true, true, true, true, SHORT_LEASE.multipliedBy(2), Duration.ofSeconds(1), 200, 20);
    }
}
