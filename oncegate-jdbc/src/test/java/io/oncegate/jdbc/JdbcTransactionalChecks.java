package io.oncegate.jdbc;

import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.CallerTransaction;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TransactionalRecordStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of same-transaction mode on one setup. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcTransactionalChecks extends TransactionalRecordStoreContract {
    private final TestSetup setup;
    private TestSetup.Open open;
    private DataSource pool;
    private TransactionalRecordStore store;
    private TransactionalRecordStore twin;

    JdbcTransactionalChecks(TestSetup setup) {
        this.setup = setup;
    }

    @BeforeAll
    void open() {
        open = setup.open();
        pool = open.pool(16);
        store = open.transactional(TransactionSource.of(pool)).build();
        twin = open.transactional(TransactionSource.of(open.pool(16))).build();
    }

    @AfterAll
    void close() {
        open.close();
    }

    @Override
    protected TransactionalRecordStore store() {
        return store;
    }

    @Override
    protected TransactionalRecordStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return open.backend();
    }

    @Override
    protected CallerTransaction beginAsCaller() {
        try {
            return new Caller(open, pool);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void insertBusinessRow(RecordTransaction transaction, String name) {
        TestSetup.insertBusiness(transaction.unwrap(Connection.class), name);
    }

    @Override
    protected int countBusinessRows(RecordTransaction transaction, String name) {
        try {
            return TestSetup.countBusiness(transaction.unwrap(Connection.class), name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected int countBusinessRows(String name) {
        return open.businessRows(name);
    }

    /** A caller with a connection of his own. */
    static final class Caller implements CallerTransaction {
        private final Connection connection;
        private final TransactionalRecordStore store;

        Caller(TestSetup.Open open, DataSource pool) throws SQLException {
            connection = pool.getConnection();
            connection.setAutoCommit(false);
            store = open.transactional(TransactionSource.joining(() -> connection, pool))
                    .build();
        }

        @Override
        public RecordTransaction join() {
            return store.begin();
        }

        @Override
        public void commit() {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void rollback() {
            try {
                connection.rollback();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            try {
                connection.rollback();
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
