package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction on one connection, as its source began or joined it. Used by one thread at a time; ends with exactly one
 * {@link #commit} or {@link #rollback}. A joined one that is an {@link io.oncegate.core.spi.ObservedTransaction} too lets a
 * ladder's fast store answer as soon as the caller has committed.
 */
public interface JdbcTransaction {
    /** The connection; not in auto-commit. */
    Connection connection();

    /** Whether the transaction is the caller's, who alone decides whether it commits. */
    boolean joined();

    /** Whether it can only be used on the thread that began it. */
    boolean threadBound();

    /**
     * Commits an own transaction and gives its connection back, also if that fails; commits nothing in a joined one.
     *
     * @throws SQLException if the commit failed or its reply was lost
     */
    void commit() throws SQLException;

    /**
     * Undoes all that happened in it, in an own transaction by rolling back and giving the connection back. In a joined
     * one, goes back to where it was joined, or marks the caller's transaction so that it can only be rolled back.
     *
     * @throws SQLException if that failed; an own connection is ended then
     */
    void rollback() throws SQLException;
}
