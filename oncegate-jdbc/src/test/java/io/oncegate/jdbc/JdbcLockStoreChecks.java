package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore;
import io.oncegate.testkit.LockStoreAbilities;
import io.oncegate.testkit.LockStoreContract;
import io.oncegate.testkit.StoreBackend;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of lock stores on one setup. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcLockStoreChecks extends LockStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TestSetup setup;
    private TestSetup.Open open;
    private JdbcLockStore store;
    private JdbcLockStore twin;

    JdbcLockStoreChecks(TestSetup setup) {
        this.setup = setup;
    }

    @BeforeAll
    void open() {
        open = setup.open();
        JdbcSchema.locks(open.small).create();
        store = handle();
        twin = handle();
    }

    private JdbcLockStore handle() {
        return open.locks(open.pool(8))
                .timeout(Duration.ofSeconds(20))
                .purgeMargin(MARGIN)
                .build();
    }

    @AfterAll
    void close() {
        open.close();
    }

    @Override
    protected LockStore store() {
        return store;
    }

    @Override
    protected LockStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return open.backend();
    }

    @Override
    protected boolean kept(RecordId id) {
        return open.lockRows(id) > 0;
    }

    @Override
    protected void sweep() {
        while (store.purge(100) > 0) {}
    }

    @Override
    protected LockStoreAbilities abilities() {
        return new LockStoreAbilities(false, 1 << 20, MARGIN, 200, 5);
    }
}
