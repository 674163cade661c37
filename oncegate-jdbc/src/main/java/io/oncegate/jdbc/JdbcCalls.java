package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs short calls, each on a connection of its own that goes back at once, in bounded time. What the database took back
 * by itself (deadlock, conflict, lock wait) is sent again, outside the dead transaction. Thread-safe.
 */
final class JdbcCalls {
    /** A call; it may be run again from the start. */
    interface SqlCall<T> {
        T run(Session session, Dialect dialect) throws SQLException;
    }

    private static final int MOST_TRIES = 100;
    private static final long LONGEST_PAUSE_MILLIS = 64;

    private final String name;
    private final DataSource source;
    private final Duration timeout;
    private final Dialects dialects;

    JdbcCalls(String name, DataSource source, Duration timeout, Dialects dialects) {
        this.name = name;
        this.source = source;
        this.timeout = timeout;
        this.dialects = dialects;
    }

    /** Runs a call of single statements, in auto-commit where the connection is. */
    <T> T call(String what, SqlCall<T> call) {
        return repeated(what, call, false);
    }

    /** Runs a call in one short transaction, READ COMMITTED. */
    <T> T transaction(String what, SqlCall<T> call) {
        return repeated(what, call, true);
    }

    private <T> T repeated(String what, SqlCall<T> call, boolean transaction) {
        long end = System.nanoTime() + timeout.toNanos();
        for (int tries = 1; ; tries++) {
            requireNotInterrupted(what, null);
            try {
                return once(call, transaction, end);
            } catch (SQLException e) {
                SqlTrouble trouble = SqlTrouble.of(e);
                long left = end - System.nanoTime();
                // After a lock wait there has to be time for another one.
                boolean again = (trouble == SqlTrouble.DEAD && left > 0)
                        || (trouble == SqlTrouble.LOCKED
                                && left >= lockWait(timeout).toNanos());
                if (!again || tries == MOST_TRIES) {
                    throw unavailable(name, what, e);
                }
                pause(what, tries, e);
            } catch (IllegalArgumentException e) {
                throw new StoreUnavailableException(
                        name, "the row for " + what + " cannot be read by this version; update this instance", e);
            }
        }
    }

    private <T> T once(SqlCall<T> call, boolean transaction, long end) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean auto = connection.getAutoCommit();
            int isolation = Connection.TRANSACTION_NONE;
            long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
            NetworkTimeout limit = NetworkTimeout.set(connection, millis);
            boolean done = false;
            try {
                if (transaction) {
                    isolation = readCommitted(connection);
                    if (auto) {
                        connection.setAutoCommit(false);
                    }
                }
                T result = call(connection, millis, call);
                if (transaction || !auto) {
                    connection.commit();
                }
                done = true;
                return result;
            } finally {
                if (!done && (transaction || !auto)) {
                    rollback(connection);
                }
                restore(connection, transaction && auto, isolation, limit);
            }
        }
    }

    private <T> T call(Connection connection, long millis, SqlCall<T> call) throws SQLException {
        Dialect dialect = dialects.of(connection);
        return call.run(new Session(connection, dialect.querySeconds(millis)), dialect);
    }

    /** How long a statement may wait for a lock, so that its end comes before that of the connection. */
    static Duration lockWait(Duration timeout) {
        return timeout.multipliedBy(3).dividedBy(4);
    }

    private static int readCommitted(Connection connection) throws SQLException {
        int before = connection.getTransactionIsolation();
        if (before == Connection.TRANSACTION_READ_COMMITTED) {
            return Connection.TRANSACTION_NONE;
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return before;
    }

    /** Rolls back, or ends the connection: nothing of it is ever committed. */
    static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Turning auto-commit on again would commit what could not be rolled back.
            abort(connection);
        }
    }

    private static void restore(Connection connection, boolean auto, int isolation, NetworkTimeout limit) {
        try {
            if (connection.isClosed()) {
                return;
            }
            if (auto) {
                connection.setAutoCommit(true);
            }
            if (isolation != Connection.TRANSACTION_NONE) {
                connection.setTransactionIsolation(isolation);
            }
            limit.restore();
        } catch (SQLException e) {
            abort(connection);
        }
    }

    /** Ends a connection whose state is unknown, so that no pool hands it out again. */
    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException ignored) {
            // It is going to be closed in any case.
        }
    }

    private void pause(String what, int tries, SQLException last) {
        long most = Math.min(LONGEST_PAUSE_MILLIS, 1L << Math.min(tries, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(most) + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            requireNotInterrupted(what, last);
        }
    }

    private void requireNotInterrupted(String what, @Nullable Throwable cause) {
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreUnavailableException(
                    name, "interrupted before " + what + " was answered; send the request again", cause);
        }
    }

    /** Says what a caller can do about a failure; the driver's own words stay in the cause. */
    static StoreUnavailableException unavailable(String store, String what, SQLException e) {
        int depth = 0;
        for (Throwable t = e; t != null && depth < SqlTrouble.MOST_CAUSES; t = t.getCause(), depth++) {
            if (t instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
        String message = switch (SqlTrouble.of(e)) {
            case DEAD -> what + " met others too often (deadlock or conflict); send the request again";
            case LOCKED, CUT_OFF ->
                what + " had no answer in time; send the request again, and look for long"
                        + " transactions on the table";
            default ->
                what + " failed; check that the database can be reached and the table is as JdbcSchema"
                        + " wants it, then send the request again";
        };
        return new StoreUnavailableException(store, message, e);
    }

    /** What a call says when the row was another one at each look. */
    StoreUnavailableException unsteady(String what) {
        return new StoreUnavailableException(
                name, what + " found the row changed at every try; send the request again", null);
    }
}
