package io.oncegate.spring.tx.internal;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a tool that works on the connection that Spring's current transaction has bound, and keeps no objects of its own.
 * Thread-safe.
 *
 * @param <T> what a row is mapped to
 */
public abstract class BoundRows<T> implements RowTool<T> {
    /** The connection. */
    protected final BoundConnection bound;

    /** Rows on this connection. */
    protected BoundRows(BoundConnection bound) {
        this.bound = bound;
    }

    @Override
    public final boolean inTransaction() {
        return bound.inTransaction();
    }

    @Override
    public final Connection connection() {
        return bound.connection();
    }

    @Override
    public final @Nullable T find(T row, boolean current) {
        return current ? CurrentReads.during(bound.dataSource(), () -> find(row)) : find(row);
    }

    /** The row that has the guard's values of this one, read past every cache of the tool's. */
    protected abstract @Nullable T find(T row);

    @Override
    public final T adopt(T row, boolean current) {
        return row;
    }

    @Override
    public final boolean isRollbackOnly() {
        return bound.isRollbackOnly();
    }

    @Override
    public final void setRollbackOnly() {
        bound.setRollbackOnly();
    }

    @Override
    public final void clearRollbackOnly() {
        bound.clearRollbackOnly();
    }
}
