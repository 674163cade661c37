package io.oncegate.spring.tx.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The connection that Spring's current transaction has bound to the thread, and its mark. Thread-safe. */
public final class BoundConnection {
    private final DataSource dataSource;

    /** Of this data source, or of the one behind a transaction-aware proxy. */
    public BoundConnection(DataSource dataSource) {
        this.dataSource = DataSources.target(dataSource);
    }

    /** The data source that the managers bind connections of. */
    public DataSource dataSource() {
        return dataSource;
    }

    /** Whether a transaction is open on it. */
    public boolean inTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive() && holder() != null && !autoCommit();
    }

    /** A connection that another resource's transaction has bound for its callbacks' sake commits by itself. */
    private boolean autoCommit() {
        try {
            return required().getConnection().getAutoCommit();
        } catch (SQLException e) {
            return false; // it will show
        }
    }

    /** The connection. */
    public Connection connection() {
        return required().getConnection();
    }

    /** Whether it is marked for rollback. */
    public boolean isRollbackOnly() {
        return required().isRollbackOnly();
    }

    /** Marks it. */
    public void setRollbackOnly() {
        required().setRollbackOnly();
    }

    /** Takes the mark away. */
    public void clearRollbackOnly() {
        required().resetRollbackOnly();
    }

    private ConnectionHolder required() {
        ConnectionHolder holder = holder();
        if (holder == null) {
            throw new IllegalStateException(
                    "no transaction is open on this data source; give the transaction manager that works on it");
        }
        return holder;
    }

    private @Nullable ConnectionHolder holder() {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? holder
                : null;
    }
}
