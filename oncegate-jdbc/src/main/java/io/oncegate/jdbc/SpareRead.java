package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads on a second connection what is newer than a transaction's snapshot, one caller at a time: many that each hold one
 * connection and wait for a second would exhaust any pool. Thread-safe; for the insert-first helpers of mapping tools too.
 */
public final class SpareRead {
    private static final String NEWER = "newer than this transaction's snapshot";

    private final Semaphore one = new Semaphore(1, true);
    private final String store;
    private final Duration wait;

    /**
     * One second connection.
     *
     * @param store what the exceptions name, such as {@code jdbc:orders}
     * @param wait how long to wait for others that are using it
     */
    public SpareRead(String store, Duration wait) {
        this.store = store;
        this.wait = wait;
    }

    /**
     * Takes a connection of its own and reads.
     *
     * @param <T> what is read
     */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        /** Reads, and gives the connection back. */
        T run() throws SQLException;
    }

    /**
     * Reads when it is this caller's turn.
     *
     * @throws StoreUnavailableException if others took too long, or there was no connection, or it failed; a fresh transaction
     *     sees the row, so that {@link RetryPolicy#mayRepeat} says yes
     */
    public <T extends @Nullable Object> T read(Work<T> work) {
        boolean mine = false;
        try {
            mine = one.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
            if (!mine) {
                throw unavailable("others were using the spare connection all the time", null);
            }
            return work.run();
        } catch (SQLException e) {
            throw unavailable("the spare connection was not to be had, or failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted while waiting for the spare connection", e);
        } finally {
            if (mine) {
                one.release();
            }
        }
    }

    private StoreUnavailableException unavailable(String what, @Nullable Exception cause) {
        return new StoreUnavailableException(
                store,
                "the row is " + NEWER + ", and " + what
                        + "; give the pool one connection more than callers that are inside transactions at once",
                newer(cause));
    }

    /**
     * The exception for a row that was not to be seen, and for which no spare connection was allowed.
     *
     * @param store what the exception names
     * @param allow how to allow one, such as {@code call spare(dataSource)}
     */
    public static StoreUnavailableException notAllowed(String store, String allow) {
        return new StoreUnavailableException(
                store,
                "the row is there, but " + NEWER + ", which cannot show it; retry the whole transaction, or run it READ"
                        + " COMMITTED, or " + allow + " to have it read on a spare connection",
                newer(null));
    }

    /** A fresh transaction sees the row: those who retry have to know this as a serialization failure. */
    static SQLException newer(@Nullable Exception cause) {
        return new SQLException("the row is " + NEWER, "40001", cause);
    }
}
