package io.oncegate.spring.tx.internal;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SpareRead;
import io.oncegate.jdbc.UniqueConstraint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Inserts first, lets the guarding constraint decide, and finds the winner's row. Thread-safe.
 *
 * <ol>
 *   <li>Inside a caller's transaction the insert stands behind a savepoint. What fails is undone to it; the transaction and its
 *       marks are as before. Where the database has ended the transaction by itself it is marked for rollback.
 *   <li>If the guard has refused the row, the winner has committed, or is this transaction. It is looked for: by locking reads
 *       where a snapshot would hide it from plain ones, or with one spare connection.
 *   <li>If another key has refused it, and the guard's row is there all the same, that one counts: where a row breaks several
 *       keys, the database names one.
 *   <li>If it is not there any more, insert again.
 *   <li>Outside a transaction, the insert has one of its own, which is tried again in a fresh one after a deadlock; the winner
 *       is looked for in the next.
 * </ol>
 *
 * @param <T> what a row is mapped to
 */
public final class FirstInsert<T> {
    private static final int TRIES = 5;

    private final RowTool<T> tool;
    private final Comparison<T> comparison;
    private final InsertSettings settings;
    private final UniqueConstraint guard;
    private final TransactionTemplate own;
    private final SpareReads spare;
    private volatile @Nullable Family known;

    /** Creates it. */
    public FirstInsert(RowTool<T> tool, Comparison<T> comparison, InsertSettings settings) {
        this.tool = tool;
        this.comparison = comparison;
        this.settings = settings;
        this.guard = settings.requireGuard();
        this.own = settings.ownTransactions();
        this.spare = new SpareReads(new SpareRead(comparison.store(), settings.lockWait()), own);
    }

    /** The constraint that decides. */
    public UniqueConstraint guard() {
        return guard;
    }

    /** Inserts the row, or finds the one that was there. */
    public Inserted<T> insert(T row) {
        comparison.requireKey(row);
        return tool.inTransaction() ? inside(row) : outside(row);
    }

    private Inserted<T> inside(T row) {
        tool.flush();
        Connection connection = tool.connection();
        for (int tries = 0; tries < TRIES; tries++) {
            try (InsertSection section =
                    InsertSection.open(family(connection), connection, true, settings.lockWait())) {
                boolean marked = tool.isRollbackOnly();
                Inserted<T> done = guarded(row, connection, section, marked);
                if (done != null) {
                    return done.first() ? new Inserted<>(tool.adopt(done.row(), false), true) : done;
                }
                T found = winner(row, connection, true);
                if (found != null) {
                    return new Inserted<>(found, false);
                }
            } catch (SQLException e) {
                throw settings.translate(e);
            }
        }
        throw comparison.vanished(guard);
    }

    /**
     * The inserted row, or the guard's if another key has refused it; null if the guard has, or the statement has inserted
     * nothing.
     */
    private @Nullable Inserted<T> guarded(T row, Connection connection, InsertSection section, boolean marked)
            throws SQLException {
        try {
            T inserted = tool.insert(row);
            if (inserted != null) {
                section.release();
                return new Inserted<>(inserted, true);
            }
            undo(row, section, marked);
            return null;
        } catch (RuntimeException | SQLException e) {
            if (RetryPolicy.mayRepeat(e)) {
                tool.setRollbackOnly();
                throw e;
            }
            try {
                undo(row, section, marked);
            } catch (SQLException | RuntimeException broken) {
                tool.setRollbackOnly();
                e.addSuppressed(broken);
                throw e;
            }
            if (guard.refused(e)) {
                return null;
            }
            T found = UniqueConstraint.anyRefused(e) ? winner(row, connection, false) : null;
            if (found != null) {
                return new Inserted<>(found, false);
            }
            throw comparison.orInProgress(e, row, settings.lockWait());
        }
    }

    private void undo(T row, InsertSection section, boolean marked) throws SQLException {
        section.undo();
        tool.undone(row);
        if (!marked && tool.isRollbackOnly()) {
            tool.clearRollbackOnly();
        }
    }

    /**
     * The row that is there, or null.
     *
     * @param sure whether there is one, though it may be hidden
     */
    private @Nullable T winner(T row, Connection connection, boolean sure) throws SQLException {
        boolean snapshot = connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ;
        boolean current = snapshot && family(connection).readsPastSnapshot();
        T found;
        try {
            found = tool.find(row, current);
        } catch (RuntimeException e) {
            if (RetryPolicy.mayRepeat(e)) {
                tool.setRollbackOnly();
                throw e;
            }
            throw comparison.orInProgress(e, row, settings.lockWait());
        }
        if (found != null) {
            comparison.requireSame(row, found);
            return tool.adopt(found, current);
        }
        if (!snapshot || !(sure || settings.spare())) {
            return null;
        } else if (!settings.spare()) {
            throw comparison.hidden();
        }
        T spared = spare.read(() -> tool.find(row, false));
        if (spared != null) {
            comparison.requireSame(row, spared);
        }
        return spared;
    }

    private Inserted<T> outside(T row) {
        for (int tries = 0; tries < TRIES; tries++) {
            Optional<T> inserted = Optional.empty();
            RuntimeException otherKey = null;
            try {
                inserted = insertAlone(row);
            } catch (RuntimeException e) {
                if (!UniqueConstraint.anyRefused(e)) {
                    throw e;
                }
                otherKey = e;
            }
            if (inserted.isPresent()) {
                return new Inserted<>(inserted.get(), true);
            }
            Optional<T> found = own.execute(status -> Optional.ofNullable(tool.find(row, false)));
            if (found.isPresent()) {
                comparison.requireSame(row, found.get());
                return new Inserted<>(found.get(), false);
            } else if (otherKey != null) {
                throw otherKey;
            }
        }
        throw comparison.vanished(guard);
    }

    /** The inserted row, unless the guard has refused it. */
    private Optional<T> insertAlone(T row) {
        try {
            return settings.retryBesideWaits().run(RetryPolicy::mayRepeat, () -> {
                try {
                    return own.execute(status -> insertBounded(row));
                } catch (RuntimeException e) {
                    tool.undone(row);
                    throw e;
                }
            });
        } catch (RuntimeException e) {
            if (guard.refused(e)) {
                return Optional.empty();
            }
            throw comparison.orInProgress(e, row, settings.lockWait());
        }
    }

    private Optional<T> insertBounded(T row) {
        Connection connection = tool.connection();
        try (InsertSection section = InsertSection.open(family(connection), connection, false, settings.lockWait())) {
            T inserted = tool.insert(row);
            section.release();
            return Optional.ofNullable(inserted);
        } catch (SQLException e) {
            throw settings.translate(e);
        }
    }

    private Family family(Connection connection) throws SQLException {
        Family family = known;
        if (family == null) {
            family = Family.of(connection);
            known = family;
        }
        return family;
    }
}
