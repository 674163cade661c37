package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Runs a short piece of work on a connection of its own, which goes back as it came, in bounded time. */
final class OwnConnection {
    /** How much longer than its lock waits a statement may take. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** A piece of work that may be run again. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    private OwnConnection() {}

    /** Commits where the connection is not in auto-commit; rolls back where the work fails. */
    static <T> T run(DataSource source, Duration wait, Work<T> work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean transaction = !connection.getAutoCommit();
            NetworkTimeout limit =
                    NetworkTimeout.set(connection, wait.plus(GRACE).toMillis());
            boolean done = false;
            try {
                T result = work.run(connection);
                if (transaction) {
                    connection.commit();
                }
                done = true;
                return result;
            } finally {
                if (!done && transaction) {
                    JdbcCalls.rollback(connection);
                }
                limit.restore();
            }
        }
    }
}
