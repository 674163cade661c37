package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

/** The caller's transaction from a savepoint on. Not thread-safe. */
final class JoinedTransaction implements JdbcTransaction {
    private final Connection connection;
    private final Savepoint joinedAt;

    private JoinedTransaction(Connection connection, Savepoint joinedAt) {
        this.connection = connection;
        this.joinedAt = joinedAt;
    }

    static JoinedTransaction join(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the caller's connection is in auto-commit, so there is no transaction to join;"
                            + " call setAutoCommit(false) first, or hand out null to have an own transaction");
        }
        return new JoinedTransaction(connection, connection.setSavepoint());
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public boolean joined() {
        return true;
    }

    @Override
    public boolean threadBound() {
        return true;
    }

    @Override
    public void commit() throws SQLException {
        // A long transaction with many operations must not pile up savepoints.
        connection.releaseSavepoint(joinedAt);
    }

    @Override
    public void rollback() throws SQLException {
        connection.rollback(joinedAt);
        connection.releaseSavepoint(joinedAt);
    }
}
