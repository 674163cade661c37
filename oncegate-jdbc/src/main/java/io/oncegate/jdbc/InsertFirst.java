package io.oncegate.jdbc;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Inserts a row, and if it is there returns what is there. A unique constraint, the guard, decides; nothing is looked up
 * before. Thread-safe; made once, kept in a constant.
 *
 * <ol>
 *   <li>A new row is inserted and comes back as the database has it, generated keys included. One statement, and with MySQL
 *       itself a second one.
 *   <li>A row that is there comes back too, also where the transaction's snapshot is older than the row, and the transaction
 *       stays usable. MariaDB and PostgreSQL do it in the same statement.
 *   <li>Where its content is another one it is a {@link MismatchException} that names the columns. Content is compared by the
 *       database, as the columns would have it: rounded, padded, texts byte for byte.
 *   <li>Only the guard counts. What other constraints refuse is the database's error.
 * </ol>
 *
 * <p>Columns and tables have plain names, without quotes. Values are bound by {@code setObject}; with PostgreSQL they are cast
 * to the column's type. The guard's values are checked first: no nulls, no blank texts, no more than 2,500 bytes together, no
 * more than the column takes.
 */
public final class InsertFirst {
    /** How long to wait for another transaction that has inserted the same row and is still open, unless said otherwise. */
    public static final Duration DEFAULT_WAIT = Duration.ofSeconds(5);

    private static final int MOST_LOOKS = 20;

    private final InsertPlan plan;
    private final RetryPolicy retry;
    private final @Nullable DataSource spareSource;
    private final SpareRead spare;
    private final @Nullable DatabaseKind given;
    private final Map<DatabaseKind, KnownWay> ways = new ConcurrentHashMap<>();
    private final PerColumns<List<String>> columns = new PerColumns<>(InsertFirst::requireNames);

    private InsertFirst(Builder builder) {
        this.plan = builder.plan();
        this.retry = builder.retry;
        this.spareSource = builder.spare;
        this.spare = new SpareRead("jdbc:" + plan.table(), plan.bound());
        this.given = builder.kind;
    }

    /**
     * Begins a helper for a table.
     *
     * @param table its name, with its schema's name and a dot before it if need be
     * @throws IllegalArgumentException if it is no name
     */
    public static Builder into(String table) {
        return new Builder(table);
    }

    /**
     * Inserts or reads in the caller's transaction, on its connection. The row that is there stays locked until the transaction
     * ends (MariaDB, MySQL). Deadlocks and serialization failures are the database's exceptions and end the transaction: retry
     * the whole of it, as {@link RetryPolicy} does.
     *
     * @param values what to insert, by the columns' names; those of the guard and of the content have to be among them
     * @param reader reads the row
     * @throws MismatchException if the row that is there has another content; the transaction stays usable
     * @throws InProgressException if another open transaction has inserted the row and does not end in time; the transaction
     *     stays usable, but with PostgreSQL under READ COMMITTED it is dead and has to be rolled back
     * @throws InvalidKeyException if a value of the guard is null, blank or too long; the database was not asked
     * @throws SchemaException if another key is the same as this one to the column's collation
     * @throws StoreUnavailableException if the row is newer than the transaction's snapshot and no spare connection was to be
     *     had; the transaction stays usable
     * @throws SQLException as the database says
     */
    public <T> Inserted<T> insert(Connection connection, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        return insert(connection, require(values), values, reader);
    }

    private <T> Inserted<T> insert(
            Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        KnownWay known = way(connection);
        known.require(values);
        InsertWay.Answer<T> answer = ask(known.way(), connection, names, values, reader);
        if (answer.state() == InsertWay.State.NEVER_SEEN || answer.state() == InsertWay.State.UNSEEN) {
            answer = spared(connection, known.way(), values, reader);
        }
        return inserted(answer, values);
    }

    /**
     * Inserts or reads in a short transaction of its own, and again in a fresh one where the database has ended it by itself.
     * Not inside a transaction, where it would take a second connection and not be undone with it.
     *
     * @throws SQLException as the database says. Where a reply was lost the row may be there: a second call finds it, and
     *     says that it was not the first
     */
    public <T> Inserted<T> insert(DataSource source, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        List<String> names = require(values);
        return retry.run(
                failure -> SqlTrouble.of(failure) == SqlTrouble.DEAD,
                () -> OwnConnection.run(source, plan.bound(), connection -> insert(connection, names, values, reader)));
    }

    /**
     * Looks at start-up whether the guard is there and guards what it is taken to guard: exactly the columns that were named,
     * none of which may be null, or is compared by a collation that takes different texts for the same.
     *
     * @throws SchemaException naming all that is wrong, and what to do
     * @throws StoreUnavailableException if the database cannot be asked
     */
    public void check(DataSource source) {
        UniqueConstraint.check(
                source, new GuardCheck(plan.constraint(), plan.table(), plan.guard(), true), plan.table());
    }

    private <T> InsertWay.Answer<T> ask(
            InsertWay known, Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        try {
            for (int looks = 0; looks < MOST_LOOKS; looks++) {
                InsertWay.Answer<T> answer = known.insert(connection, names, values, reader);
                if (answer.state() != InsertWay.State.UNSEEN) {
                    return answer;
                }
            }
        } catch (SQLException e) {
            if (RetryPolicy.isLockedOut(e)) {
                InProgressException busy = new InProgressException(plan.table(), plan.bound(), digest(values));
                busy.addSuppressed(e);
                throw busy;
            }
            throw e;
        }
        return InsertWay.Answer.of(InsertWay.State.UNSEEN);
    }

    private <T> InsertWay.Answer<T> spared(
            Connection connection, InsertWay known, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        if (connection.getTransactionIsolation() < Connection.TRANSACTION_REPEATABLE_READ) {
            throw new StoreUnavailableException(
                    "jdbc:" + plan.table(),
                    plan.constraint()
                            + " refuses the row at every try, and no row with its values is to be seen; look for a"
                            + " trigger that changes them, a policy that hides rows, or others that delete them at once",
                    null);
        }
        DataSource source = spareSource;
        if (source == null) {
            throw SpareRead.notAllowed("jdbc:" + plan.table(), "call spare(dataSource)");
        }
        InsertWay.Answer<T> answer =
                spare.read(() -> OwnConnection.run(source, plan.bound(), second -> known.look(second, values, reader)));
        if (answer.state() == InsertWay.State.UNSEEN) {
            throw new StoreUnavailableException(
                    "jdbc:" + plan.table(),
                    "the row came and went while it was looked for; retry the whole transaction",
                    SpareRead.newer(null));
        }
        return answer;
    }

    private <T> Inserted<T> inserted(InsertWay.Answer<T> answer, Map<String, ?> values) {
        if (answer.state() == InsertWay.State.OTHER_BYTES) {
            throw new SchemaException("table " + plan.table() + ": another key is the same as this one to "
                    + plan.constraint() + ", although its bytes are not; give " + String.join(", ", plan.guard())
                    + " a binary collation without padding, or keep a digest. Nothing was inserted, and the other key's row is"
                    + " not shown");
        } else if (!answer.differing().isEmpty()) {
            throw new MismatchException(plan.table(), answer.differing(), digest(values));
        }
        T row = answer.row();
        if (row == null) {
            throw new IllegalStateException("the reader has made null of a row; let it return something");
        }
        return new Inserted<>(row, answer.state() == InsertWay.State.FIRST);
    }

    private String digest(Map<String, ?> values) {
        return GuardValues.digest(plan.table(), plan.guard(), values);
    }

    /** An application may have databases of several kinds, with the same helper. */
    private KnownWay way(Connection connection) throws SQLException {
        DatabaseKind kind = given == null ? DatabaseKind.of(connection) : given;
        KnownWay known = ways.get(kind);
        if (known == null) {
            InsertWay way = InsertWay.of(kind, plan);
            known = new KnownWay(way, way.guard(connection));
            ways.put(kind, known);
        }
        return known;
    }

    /** How it is done, and what is known of the guard's columns. */
    private record KnownWay(InsertWay way, List<GuardColumn> guard) {
        void require(Map<String, ?> values) {
            for (GuardColumn column : guard) {
                Object value = values.get(column.name());
                if (value != null) {
                    column.require(value);
                }
            }
        }
    }

    /** The values' columns, whose names are looked at when they are met for the first time. */
    private List<String> require(Map<String, ?> values) {
        List<String> names = columns.of(new ArrayList<>(values.keySet()));
        requireAll(plan.guard(), values);
        requireAll(plan.content(), values);
        GuardValues.require(plan.guard(), values);
        return names;
    }

    private void requireAll(List<String> needed, Map<String, ?> values) {
        for (String column : needed) {
            if (!values.containsKey(column)) {
                throw new IllegalArgumentException("there is no value for the column " + column + " of " + plan.table()
                        + ", which the guard or the content needs; give one, written the same way");
            }
        }
    }

    private static List<String> requireNames(List<String> names) {
        TreeSet<String> folded = new TreeSet<>();
        for (String column : names) {
            if (!folded.add(Names.folded(Names.requireColumn(column, "a column")))) {
                throw new IllegalArgumentException("the column " + column + " has two values; give it one");
            }
        }
        return List.copyOf(names);
    }

    /** Collects what a helper is to do. Not thread-safe. */
    public static final class Builder {
        private final String table;
        private @Nullable UniqueConstraint constraint;
        private List<String> guard = List.of();
        private @Nullable List<String> content;
        private List<String> reading = List.of();
        private Duration wait = DEFAULT_WAIT;
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private @Nullable DataSource spare;
        private @Nullable DatabaseKind kind;

        private Builder(String table) {
            this.table = Names.requireTable(table);
        }

        /**
         * The constraint that guards the table, and all its columns. They are NOT NULL, and keep texts in a binary collation.
         *
         * @throws IllegalArgumentException if a column's name is none
         */
        public Builder guard(UniqueConstraint by, String... columns) {
            this.constraint = by;
            this.guard = names(columns);
            return this;
        }

        /**
         * The columns in which a repetition has to agree with the row that is there; else it is a mismatch. Leave out what the
         * server makes out anew each time (created_at), and what the business changes later (state).
         *
         * @throws IllegalArgumentException if a column's name is none
         */
        public Builder content(String... columns) {
            this.content = names(columns);
            return this;
        }

        /** The guard's values alone make a request: whatever else a repetition says, it is given the row that is there. */
        public Builder keyAlone() {
            this.content = List.of();
            return this;
        }

        /**
         * The columns to be read, unless all of them.
         *
         * @throws IllegalArgumentException if a column's name is none
         */
        public Builder reading(String... columns) {
            this.reading = names(columns);
            return this;
        }

        /**
         * How long to wait for another transaction that has inserted the row and is still open, 1 ms to an hour; MariaDB and
         * MySQL round up to seconds, H2 has its own lock time-out.
         */
        public Builder waitUpTo(Duration bound) {
            if (bound.compareTo(Duration.ofMillis(1)) < 0 || bound.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("a wait is 1 ms to an hour, not " + bound);
            }
            this.wait = bound;
            return this;
        }

        /** How often a transaction of its own is tried, unless {@link RetryPolicy#DEFAULT}. */
        public Builder retry(RetryPolicy policy) {
            this.retry = policy;
            return this;
        }

        /**
         * Where to get a second connection from, if the row that is there is newer than the snapshot of a caller's transaction
         * (PostgreSQL and H2 from REPEATABLE READ on). One at a time: the pool has to have one connection more than callers that
         * are inside transactions at once. Without this it is a {@link StoreUnavailableException}.
         */
        public Builder spare(DataSource source) {
            this.spare = source;
            return this;
        }

        /** Takes this for the database's kind. */
        Builder kind(DatabaseKind taken) {
            this.kind = taken;
            return this;
        }

        private static List<String> names(String... columns) {
            for (String column : columns) {
                Names.requireColumn(column, "a column");
            }
            if (columns.length == 0) {
                throw new IllegalArgumentException("there is no column; name one or more");
            }
            return List.of(columns);
        }

        private InsertPlan plan() {
            UniqueConstraint by = constraint;
            List<String> compared = content;
            if (by == null || guard.isEmpty()) {
                throw new IllegalArgumentException(
                        "there is no guard for " + table + "; call guard(constraint, columns)");
            } else if (compared == null) {
                throw new IllegalArgumentException("nothing says in what a repetition has to agree with the row in "
                        + table + "; call content(columns), or keyAlone()");
            }
            return new InsertPlan(table, by, guard, compared, reading, wait);
        }

        /**
         * The helper. The database is not asked for anything yet.
         *
         * @throws IllegalArgumentException if the guard is missing, or it is not said what the content is
         */
        public InsertFirst build() {
            return new InsertFirst(this);
        }
    }
}
