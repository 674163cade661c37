package io.oncegate.spring.tx;

import io.oncegate.core.spi.ObservedTransaction;
import io.oncegate.jdbc.JdbcTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.core.Ordered;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One transaction of Spring's, begun here or joined. Not thread-safe, and bound to its thread. */
final class SpringJdbcTransaction implements JdbcTransaction, ObservedTransaction {
    private final PlatformTransactionManager manager;
    private final TransactionStatus status;
    private final DataSource dataSource;
    private final Connection connection;
    private final SavepointWatch watch;

    private SpringJdbcTransaction(
            PlatformTransactionManager manager,
            TransactionStatus status,
            DataSource dataSource,
            Connection connection) {
        this.manager = manager;
        this.status = status;
        this.dataSource = dataSource;
        this.connection = connection;
        this.watch = new SavepointWatch(connection);
    }

    static SpringJdbcTransaction in(
            PlatformTransactionManager manager, TransactionStatus status, DataSource dataSource) {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder)) {
            throw new IllegalStateException(
                    "the transaction manager " + manager.getClass().getName()
                            + " does not work on this data source; give SpringTransactionSource the data source of the manager");
        }
        return new SpringJdbcTransaction(manager, status, dataSource, DataSourceUtils.getConnection(dataSource));
    }

    @Override
    public Connection connection() {
        return watch.connection();
    }

    @Override
    public boolean joined() {
        return !status.isNewTransaction();
    }

    @Override
    public boolean threadBound() {
        return true;
    }

    @Override
    public void commit() throws SQLException {
        if (joined()) {
            release();
            manager.commit(status); // takes note that we have left; the caller commits
        } else if (watch.wentBack()) {
            commitRecordAlone();
        } else {
            commitAll();
        }
    }

    /**
     * The business was undone to the savepoint and only the record is left to be committed. Spring and JPA may have marked
     * the transaction for rollback for good, and JPA may still hold changes of the undone business to flush, so the
     * connection is committed past them, and for them the transaction is rolled back.
     */
    private void commitRecordAlone() throws SQLException {
        try {
            connection.commit();
        } finally {
            rollback();
        }
    }

    private void commitAll() throws SQLException {
        try {
            status.flush();
        } catch (RuntimeException | Error e) {
            rollbackAfter(e);
            throw e;
        }
        release();
        Progress made = Progress.registered();
        try {
            manager.commit(status);
        } catch (UnexpectedRollbackException | DataIntegrityViolationException e) {
            throw e; // rolled back for certain
        } catch (RuntimeException e) {
            if (made.committed || !made.beforeCommitDone) {
                throw e; // thrown by a callback, after the commit or before it
            }
            throw new SQLException("the commit failed", e);
        }
    }

    private void rollbackAfter(Throwable failure) {
        try {
            rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void rollback() throws SQLException {
        release();
        try {
            manager.rollback(status);
        } catch (RuntimeException e) {
            throw new SQLException("the rollback failed", e);
        }
    }

    @Override
    public boolean whenEnded(Consumer<End> listener) {
        return EndOfTransaction.observe(listener);
    }

    private void release() {
        DataSourceUtils.releaseConnection(connection, dataSource);
    }

    /** How far a commit has come. */
    private static final class Progress implements TransactionSynchronization {
        private boolean beforeCommitDone;
        private boolean committed;

        static Progress registered() {
            Progress progress = new Progress();
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(progress);
            } else {
                progress.beforeCommitDone = true; // there are no callbacks
            }
            return progress;
        }

        /** Behind all others, for it is registered last: whatever fails before it failed before the commit. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            beforeCommitDone = true;
        }

        @Override
        public void afterCompletion(int completion) {
            committed = completion == STATUS_COMMITTED;
        }
    }
}
