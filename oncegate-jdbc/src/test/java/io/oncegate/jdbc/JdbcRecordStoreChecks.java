package io.oncegate.jdbc;

import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of claimed mode on one setup. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcRecordStoreChecks extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final TestSetup setup;
    private TestSetup.Open open;
    private RecordStore store;
    private RecordStore twin;

    JdbcRecordStoreChecks(TestSetup setup) {
        this.setup = setup;
    }

    @BeforeAll
    void open() {
        open = setup.open();
        store = open.store(open.pool(16))
                .purgeMargin(MARGIN)
                .timeout(Duration.ofSeconds(20))
                .build();
        twin = open.store(open.pool(16))
                .purgeMargin(MARGIN)
                .timeout(Duration.ofSeconds(20))
                .build();
    }

    @AfterAll
    void close() {
        open.close();
    }

    @Override
    protected RecordStore store() {
        return store;
    }

    @Override
    protected RecordStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return open.backend();
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, true, false, true, 1024 * 1024, MARGIN);
    }
}
