package io.oncegate.jdbc;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.RecordMachine;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Carries the fence of a lock or claim to the end: a table that remembers the highest fence that has been there for each key,
 * in the same database as the business's own tables. Thread-safe.
 *
 * <ol>
 *   <li>Whoever has acquired raises the fence before its business begins ({@link #raise(DataSource, OperationKey, long)}).
 *       From then on every older holder is refused, also if the newer one never writes anything.
 *   <li>The business raises it once more inside its own transaction, before its writes ({@link #raise(Connection,
 *       OperationKey, long)}). One statement inserts the fence or writes it over a lower or equal one. The row stays locked
 *       until the commit, so that nobody's newer fence can come between the check and the writes.
 *   <li>Where a higher fence is there, it is refused: {@link StaleFenceException}, and nothing is changed. The transaction can
 *       still be used, and is to be rolled back.
 * </ol>
 *
 * <p>Where the business writes a single row, {@link FenceColumn} does it in the statement that writes. Fences of different
 * stores are different numbers: a key's fence is to come from one store for good.
 */
public final class FenceTable {
    /** The table, unless said otherwise. */
    public static final String DEFAULT_TABLE = "oncegate_fence";

    /** The least time for which a row has to be untouched before it may be purged. */
    public static final Duration LEAST_UNTOUCHED = Duration.ofDays(1);

    private static final Duration TIMEOUT = JdbcRecordStore.DEFAULT_TIMEOUT;

    private final Dialects callers;
    private final Dialects own;

    private FenceTable(Dialects callers, Dialects own) {
        this.callers = callers;
        this.own = own;
    }

    /** The table {@code oncegate_fence}. */
    public static FenceTable of() {
        return of(DEFAULT_TABLE);
    }

    /**
     * The table of this name, with its schema's name and a dot before it if need be.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static FenceTable of(String table) {
        return new FenceTable(
                new Dialects(table, 0),
                new Dialects(table, JdbcCalls.lockWait(TIMEOUT).toMillis()));
    }

    /** Takes this dialect for the database's. */
    static FenceTable of(Dialect dialect) {
        return new FenceTable(new Dialects(dialect), new Dialects(dialect));
    }

    /**
     * Raises the fence in the caller's transaction. Waits for another transaction that has raised it and is still open, as
     * long as the database lets it.
     *
     * @param connection not in auto-commit; it stays open
     * @param fence as the lock or claim has it; more than zero
     * @throws StaleFenceException if a newer holder has been there
     * @throws IllegalStateException if the connection is in auto-commit, where nothing would be guarded until the write
     * @throws SQLException as the database says, such as a deadlock, or a conflict under REPEATABLE READ (state 40001)
     */
    public void raise(Connection connection, OperationKey key, long fence) throws SQLException {
        requireFence(fence);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in auto-commit, so that a newer holder could come between the"
                            + " fence and the write; begin a transaction first, or use a FenceColumn, which takes one statement");
        }
        callers.of(connection).fences().raise(new Session(connection, 0), key, fence);
    }

    /**
     * Raises the fence in a short transaction of its own: before the business begins, never inside a transaction.
     *
     * @param fence as the lock or claim has it; more than zero
     * @throws StaleFenceException if a newer holder has been there
     * @throws StoreUnavailableException if there is no answer within five seconds, once there is a connection
     */
    public void raise(DataSource source, OperationKey key, long fence) {
        requireFence(fence);
        calls(source).call("raising a fence", (session, dialect) -> {
            dialect.fences().raise(session, key, fence);
            return fence;
        });
    }

    /**
     * Deletes at most this many rows that were not raised for so long, in one short transaction. A holder that is later than
     * that is no longer refused.
     *
     * @param untouched longer than any holder may be late, {@link #LEAST_UNTOUCHED} or more; exact to the hour
     * @return how many rows went; fewer than the limit means that nothing is left to do for now
     * @throws StoreUnavailableException if there is no answer
     */
    public int purge(DataSource source, Duration untouched, int limit) {
        if (limit < 1 || untouched.compareTo(LEAST_UNTOUCHED) < 0) {
            throw new IllegalArgumentException("a purge of fences takes 1 row or more at a time, untouched for "
                    + LEAST_UNTOUCHED + " or more; not " + limit + " and " + untouched);
        }
        long micros = RecordMachine.micros(untouched.plus(FenceSql.FRESH));
        return calls(source)
                .transaction(
                        "a purge of fences",
                        (session, dialect) -> dialect.fences().purge(session, micros, limit));
    }

    private JdbcCalls calls(DataSource source) {
        return new JdbcCalls("jdbc:" + own.table(), source, TIMEOUT, own);
    }

    static void requireFence(long fence) {
        if (fence <= 0) {
            throw new IllegalArgumentException(
                    "a fence is more than zero, not " + fence + "; take it from the lock or claim");
        }
    }
}
