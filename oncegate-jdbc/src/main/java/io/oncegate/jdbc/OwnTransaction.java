package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** A transaction on a connection of its own, which goes back as it came. Not thread-safe. */
final class OwnTransaction implements JdbcTransaction {
    private final Connection connection;
    private final boolean autoCommit;

    private OwnTransaction(Connection connection, boolean autoCommit) {
        this.connection = connection;
        this.autoCommit = autoCommit;
    }

    static OwnTransaction begin(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            }
            return new OwnTransaction(connection, autoCommit);
        } catch (SQLException | RuntimeException e) {
            end(connection);
            throw e;
        }
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public boolean joined() {
        return false;
    }

    @Override
    public boolean threadBound() {
        return false;
    }

    @Override
    public void commit() throws SQLException {
        commit(Duration.ZERO);
    }

    @Override
    public void rollback() throws SQLException {
        rollback(Duration.ZERO);
    }

    /** Commits in bounded time; zero is without bound. */
    void commit(Duration limit) throws SQLException {
        end(limit, Connection::commit);
    }

    /** Rolls back in bounded time; zero is without bound. */
    void rollback(Duration limit) throws SQLException {
        end(limit, Connection::rollback);
    }

    /** Commits a transaction; one of these in bounded time. */
    static void commit(JdbcTransaction transaction, Duration limit) throws SQLException {
        if (transaction instanceof OwnTransaction own) {
            own.commit(limit);
        } else {
            transaction.commit();
        }
    }

    /** Rolls a transaction back; one of these in bounded time. */
    static void rollback(JdbcTransaction transaction, Duration limit) throws SQLException {
        if (transaction instanceof OwnTransaction own) {
            own.rollback(limit);
        } else {
            transaction.rollback();
        }
    }

    private interface End {
        void run(Connection connection) throws SQLException;
    }

    private void end(Duration limit, End end) throws SQLException {
        try {
            NetworkTimeout network = NetworkTimeout.set(connection, limit.toMillis());
            end.run(connection);
            network.restore();
        } catch (SQLException | RuntimeException e) {
            // What is left of it must not be committed by a pool that turns auto-commit on again.
            end(connection);
            throw e;
        }
        giveBack();
    }

    /** The transaction has ended as it should: a failure from here on costs the connection and nothing else. */
    private void giveBack() {
        try {
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
            connection.close();
        } catch (SQLException e) {
            end(connection);
        }
    }

    private static void end(Connection connection) {
        JdbcCalls.abort(connection);
        try {
            connection.close();
        } catch (SQLException ignored) {
            // It has been ended already.
        }
    }
}
