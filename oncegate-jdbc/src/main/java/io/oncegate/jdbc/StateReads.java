package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Runs queries on states and histories, in the caller's transaction or a short one, in bounded time. Thread-safe. */
final class StateReads {
    private final String name;
    private final TransactionSource source;
    private final StateHistory history;
    private final Duration timeout;

    StateReads(String name, TransactionSource source, StateHistory history, Duration timeout) {
        this.name = name;
        this.source = source;
        this.history = history;
        this.timeout = timeout;
    }

    <T> T run(String what, JdbcCalls.SqlCall<T> query) {
        try {
            JdbcTransaction transaction = source.begin();
            boolean done = false;
            try {
                T result = run(transaction, query);
                done = true;
                transaction.commit();
                return result;
            } finally {
                if (!done) {
                    transaction.rollback();
                }
            }
        } catch (SQLException e) {
            throw FiringSteps.failure(name, what, e);
        }
    }

    private <T> T run(JdbcTransaction transaction, JdbcCalls.SqlCall<T> query) throws SQLException {
        Connection connection = transaction.connection();
        Dialect dialect = history.dialects(true).of(connection);
        long millis = timeout.toMillis();
        NetworkTimeout network = NetworkTimeout.set(connection, millis);
        try {
            return query.run(new Session(connection, dialect.querySeconds(millis)), dialect);
        } finally {
            network.restore();
        }
    }
}
