package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in one table of PostgreSQL, MariaDB, MySQL or H2. Thread-safe.
 *
 * <ol>
 *   <li>A lock is a row, by its id. It stays when the lock is free, and keeps the fence.
 *   <li>Acquiring is one statement: it inserts the row, or writes the new attempt, fence and lease over it, on condition that
 *       the database's clock, read after the row is locked, has passed lease and window, or that the row is this attempt's
 *       own.
 *   <li>Only if that writes nothing, the row is read, and {@link LockMachine} says what the asker is told. If it would have
 *       granted, the row has changed meanwhile: from the start.
 *   <li>Renewing, ending and passing on are one conditional update each, by id, fence, attempt and a lease that is not over.
 *       Only if that finds nothing, the row is read to say why.
 *   <li>Rows that are of no use any more stay until a {@link #purge}.
 * </ol>
 *
 * <p>Each call is one short transaction on a connection of its own, and holds nothing open afterwards. There are no signals
 * to those who wait: they ask again with growing pauses. Connections, bounds and clocks are as with {@link JdbcRecordStore}.
 *
 * <p>Inside a transaction of the caller's that would be a second connection, which can use up a pool, and a lock that ends
 * before the commit. Where the store is told of such transactions ({@link Builder#callerTransactions}), it refuses: to
 * acquire and renew with {@link IllegalStateException}; to end with {@link StoreUnavailableException}, upon which the locks
 * end the hold in the background.
 */
public final class JdbcLockStore implements LockStore {
    /** The table, unless said otherwise. */
    public static final String DEFAULT_TABLE = "oncegate_lock";

    private static final int MOST_LOOKS = 20;

    private final String name;
    private final JdbcCalls calls;
    private final long margin;
    private final BooleanSupplier refuses;

    private JdbcLockStore(Builder builder) {
        Dialects dialects = builder.dialect == null
                ? new Dialects(
                        builder.table, JdbcCalls.lockWait(builder.timeout).toMillis())
                : new Dialects(builder.dialect);
        this.name = "jdbc:" + dialects.table();
        this.calls = new JdbcCalls(name, builder.source, builder.timeout, dialects);
        this.margin = RecordMachine.micros(builder.purgeMargin);
        this.refuses = builder.secondConnection ? () -> false : builder.callerTransactions;
    }

    /** A store on the table {@code oncegate_lock}. */
    public static JdbcLockStore of(DataSource source) {
        return builder(source).build();
    }

    /** Begins a store that takes its connections from this source. */
    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException inside a transaction of the caller's
     */
    @Override
    public LockAnswer acquire(LockRequest request) {
        requireOutside("acquired");
        return calls.call("a lock", (session, dialect) -> {
            LockSql sql = dialect.locks();
            for (int look = 0; look < MOST_LOOKS; look++) {
                long fence = sql.acquire(session, request, margin);
                if (fence > LockSql.OWN) {
                    return new LockAnswer.Granted(fence);
                }
                session.commit();
                LockSql.Seen seen = sql.read(session, request.id(), request.takesResult());
                LockRow row = seen.row();
                if (row != null) {
                    Decision<LockAnswer> decision = LockMachine.acquire(row, request, seen.now());
                    boolean own = fence == LockSql.OWN && row.attempt().equals(request.attempt());
                    if (own || decision.row() == row) {
                        return own ? new LockAnswer.Granted(row.fence()) : decision.answer();
                    }
                }
                session.commit();
            }
            throw calls.unsteady("a lock");
        });
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException inside a transaction of the caller's
     */
    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        requireOutside("renewed");
        long micros = RecordMachine.micros(lease);
        return held(
                "renewing a lock",
                held,
                (session, sql) -> sql.renew(session, held, micros),
                (row, now) -> LockMachine.renew(row, held, lease, now));
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd end) {
        requireEndOutside();
        return held(
                "ending a lock",
                held,
                (session, sql) -> sql.end(session, held, end),
                (row, now) -> LockMachine.end(row, held, end, now));
    }

    private interface Change {
        boolean run(Session session, LockSql sql) throws SQLException;
    }

    private interface Machine {
        Decision<HolderAnswer> decide(@Nullable LockRow row, long now);
    }

    /** A conditional update; where it finds nothing, or the driver counts changed rows only, the row says why. */
    private HolderAnswer held(String what, ClaimRef held, Change change, Machine machine) {
        return calls.call(what, (session, dialect) -> {
            LockSql sql = dialect.locks();
            for (int look = 0; look < MOST_LOOKS; look++) {
                if (change.run(session, sql)) {
                    return HolderAnswer.DONE;
                }
                session.commit();
                LockSql.Seen seen = sql.read(session, held.id(), false);
                Decision<HolderAnswer> decision = machine.decide(seen.row(), seen.now());
                if (decision.row() == seen.row()) {
                    return decision.answer();
                }
                session.commit();
            }
            throw calls.unsteady(what);
        });
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        requireEndOutside();
        return calls.call("passing a lock on", (session, dialect) -> {
            LockSql sql = dialect.locks();
            for (int look = 0; look < MOST_LOOKS; look++) {
                long fence = sql.pass(session, held, next);
                if (fence != 0) {
                    return OptionalLong.of(fence);
                }
                session.commit();
                LockSql.Seen seen = sql.read(session, held.id(), false);
                Decision<OptionalLong> decision = LockMachine.pass(seen.row(), held, next, seen.now());
                if (decision.row() == seen.row()) {
                    return decision.answer();
                }
                session.commit();
            }
            throw calls.unsteady("passing a lock on");
        });
    }

    private void requireOutside(String what) {
        if (refuses.getAsBoolean()) {
            throw new IllegalStateException(
                    "a lock of store " + name + " is to be " + what + " inside an open transaction"
                            + " of the caller's, where it would take a second connection and could be free again before the"
                            + " commit; do it before the transaction begins, or allow it with secondConnection(true) and give"
                            + " the pool more connections than threads");
        }
    }

    private void requireEndOutside() {
        if (refuses.getAsBoolean()) {
            throw new StoreUnavailableException(
                    name,
                    "a lock is to be ended inside an open transaction of the caller's, where it would take a second"
                            + " connection and be free before the commit; end it after the commit, or allow it with"
                            + " secondConnection(true) and give the pool more connections than threads",
                    null);
        }
    }

    /**
     * Deletes at most this many rows of locks that count no more, in short transactions on one index. Rows that others hold
     * locked are left for a later batch. Several instances may purge at once.
     *
     * <p>A row may go when lease, window and result are over, and the database's clock has passed its fence by the purge margin.
     *
     * @return how many rows went; 0 means that nothing is left to do for now
     * @throws StoreUnavailableException if there is no answer
     */
    public int purge(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("a purge takes 1 row or more at a time, not " + limit);
        }
        LockPurge.Batch batch;
        int looks = 0;
        do {
            batch = calls.transaction(
                    "a purge of locks",
                    (session, dialect) -> dialect.lockPurge().sweep(session, limit, margin));
        } while (batch.deleted() == 0 && batch.seen() == limit && ++looks < MOST_LOOKS);
        return batch.deleted();
    }

    /** Collects the settings of a store. Not thread-safe. */
    public static final class Builder {
        private final DataSource source;
        private String table = DEFAULT_TABLE;
        private @Nullable Dialect dialect;
        private Duration timeout = JdbcRecordStore.DEFAULT_TIMEOUT;
        private Duration purgeMargin = JdbcRecordStore.DEFAULT_PURGE_MARGIN;
        private BooleanSupplier callerTransactions = () -> false;
        private boolean secondConnection;

        private Builder(DataSource source) {
            this.source = source;
        }

        /**
         * The table's name, with its schema's name and a dot before it if need be.
         *
         * @throws IllegalArgumentException if it is no plain name
         */
        public Builder table(String table) {
            this.table = Dialects.requireTable(table);
            return this;
        }

        /** How long a call may take, once it has a connection; 100 ms or more. */
        public Builder timeout(Duration timeout) {
            this.timeout = JdbcRecordStore.Builder.requireTimeout(timeout);
            return this;
        }

        /** What must lie between a lock's fence and its removal, as {@link JdbcRecordStore.Builder#purgeMargin}. */
        public Builder purgeMargin(Duration purgeMargin) {
            if (purgeMargin.isNegative()) {
                throw new IllegalArgumentException("a purge margin is not negative");
            }
            this.purgeMargin = purgeMargin;
            return this;
        }

        /**
         * How the store finds out whether the calling thread has a transaction open that holds a connection of the source, so
         * that it can refuse to take a second one. Without it the store does not know of any. In Spring,
         * {@code OpenTransactions.on(dataSource)}.
         *
         * @param open whether it has; asked at every call, quick and thread-safe
         */
        public Builder callerTransactions(BooleanSupplier open) {
            this.callerTransactions = open;
            return this;
        }

        /**
         * Whether a lock may take a second connection inside a transaction of the caller's. The pool has to have more
         * connections than there are threads that do so, else all of them can wait for each other.
         */
        public Builder secondConnection(boolean allowed) {
            this.secondConnection = allowed;
            return this;
        }

        /** Takes this dialect for the database's. */
        Builder dialect(Dialect dialect) {
            this.dialect = dialect;
            return this;
        }

        /** The store. The database is not asked for anything yet; {@link JdbcSchema#check} does that. */
        public JdbcLockStore build() {
            return new JdbcLockStore(this);
        }
    }
}
