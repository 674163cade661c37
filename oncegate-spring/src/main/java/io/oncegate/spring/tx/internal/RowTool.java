package io.oncegate.spring.tx.internal;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What a mapping tool does for {@link FirstInsert}, always in the current transaction of the calling thread. Thread-safe.
 *
 * @param <T> what a row is mapped to
 */
public interface RowTool<T> {
    /** Whether a transaction that this tool works in is open on the calling thread. */
    boolean inTransaction();

    /**
     * The current transaction's connection.
     *
     * @throws IllegalStateException if the manager's transaction is none that the tool works in
     */
    Connection connection();

    /** Writes what the tool holds back, so that nothing of it comes to stand behind the savepoint. */
    void flush();

    /**
     * Inserts, and never anything else. Throws whatever the tool throws, with the database's exception among the causes.
     *
     * @return the row as the tool has it then, or null if the statement inserted nothing
     */
    @Nullable
    T insert(T row);

    /** Makes a row ready for another try, after the insert has been taken back. */
    void undone(T row);

    /**
     * The row that has the guard's values of this one, read past every cache of the tool's.
     *
     * @param current with locking reads, where the database's snapshot would hide it
     */
    @Nullable
    T find(T row, boolean current);

    /** What the caller is given in its own transaction, for a row that was inserted or found in it. */
    T adopt(T row, boolean current);

    /** Whether the current transaction is marked for rollback. */
    boolean isRollbackOnly();

    /** Marks it. */
    void setRollbackOnly();

    /** Takes the mark away, after what it was set for has been undone. */
    void clearRollbackOnly();
}
