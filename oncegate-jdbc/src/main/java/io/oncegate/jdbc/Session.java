package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection for the length of one call, with the time limit of its statements. Not thread-safe.
 *
 * @param connection the connection
 * @param seconds the limit of each statement in seconds; 0 without one
 */
record Session(Connection connection, int seconds) {
    /** A statement with this session's time limit. */
    PreparedStatement prepare(String sql) throws SQLException {
        return limited(connection.prepareStatement(sql), seconds);
    }

    /** The same for a statement that hands back what it gave to {@code LAST_INSERT_ID}. */
    PreparedStatement prepareWithKey(String sql) throws SQLException {
        return limited(connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS), seconds);
    }

    /** The same connection with another limit. */
    Session within(int otherSeconds) {
        return new Session(connection, otherSeconds);
    }

    /** Ends what the last statements have begun, where the pool hands out connections without auto-commit. */
    void commit() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    private static PreparedStatement limited(PreparedStatement statement, int seconds) throws SQLException {
        if (seconds > 0) {
            statement.setQueryTimeout(seconds);
        }
        return statement;
    }
}
