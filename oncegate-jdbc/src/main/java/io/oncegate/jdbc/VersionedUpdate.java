package io.oncegate.jdbc;

import io.oncegate.core.error.StaleVersionException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes columns of a row on condition that it still has the version that was read, and raises the version by one. A conflict is
 * a {@link StaleVersionException}, never a count that nobody looks at. Thread-safe; made once, kept in a constant.
 *
 * <ol>
 *   <li>One statement compares the version and writes. As the version changes always, one row counts however the driver counts
 *       (found or changed rows), also if nothing else changes.
 *   <li>Only if that finds nothing, the row is read, to say whether it is stale or gone.
 *   <li>A batch locks all its rows at the versions expected first, in the order of their keys, so that what the driver says of
 *       the batch ({@code SUCCESS_NO_INFO}) does not matter.
 * </ol>
 *
 * <p>The version column is a BIGINT or INTEGER, NOT NULL, and nobody writes the row past it. A refusal leaves the transaction
 * usable, unless the database itself has ended it (PostgreSQL and H2 from REPEATABLE READ on, which then cannot tell stale from
 * gone).
 * Version numbers are the caller's to keep: after a rollback, also to a savepoint, the row has the version it had before.
 */
public final class VersionedUpdate {
    private static final int MOST_LOOKS = 5;
    private static final int LOCKED_AT_ONCE = 100;

    private final String table;
    private final String versionColumn;
    private final List<String> keyColumns;
    private final MariaDbSettings settings = new MariaDbSettings();

    private VersionedUpdate(String table, String versionColumn, List<String> keyColumns) {
        this.table = table;
        this.versionColumn = versionColumn;
        this.keyColumns = keyColumns;
    }

    /**
     * A row to be written.
     *
     * @param key the value of the key column, or a list of values where there are several
     * @param version the version that was read
     * @param values what to write, by the columns' names
     */
    public record Row(Object key, @Nullable Long version, Map<String, ?> values) {}

    /**
     * Versioned updates of a table.
     *
     * @param table its name, with its schema's name and a dot before it if need be
     * @param versionColumn the column that keeps the version
     * @param keyColumns the columns by which one row is found
     * @throws IllegalArgumentException if one of them is no name, or there is no key column
     */
    public static VersionedUpdate of(String table, String versionColumn, String... keyColumns) {
        if (keyColumns.length == 0) {
            throw new IllegalArgumentException("there is no key column for " + table + "; name one or more");
        }
        for (String column : keyColumns) {
            Names.requireColumn(column, "a column");
        }
        return new VersionedUpdate(
                Names.requireTable(table), Names.requireColumn(versionColumn, "a column"), List.of(keyColumns));
    }

    /**
     * The version, if it is one to update from; for helpers of mapping tools too.
     *
     * @param what whose version it is, for the message
     * @throws IllegalArgumentException if it is null, negative, no number, or leaves none to follow; the database was not asked
     */
    public static long requireVersion(String what, @Nullable Object version) {
        if (!(version instanceof Number number) || number.longValue() < 0 || number.longValue() == Long.MAX_VALUE) {
            throw new IllegalArgumentException("the version of " + what + " is 0 or more, and not "
                    + (version == null || version instanceof Number ? version : "no number")
                    + ": without one an update guards nothing; read the row first, or insert it if it is new");
        }
        return number.longValue();
    }

    /**
     * Writes a row.
     *
     * @param key the value of the key column, or a list of values where there are several, in the order of {@link #of}
     * @param version the version that was read, 0 or more
     * @param values what to write, by the columns' names, bound by {@code setObject}; with PostgreSQL a text suits
     *     columns of all types; empty raises the version alone
     * @return the new version
     * @throws StaleVersionException if the row has another version or is gone; nothing was written
     * @throws IllegalArgumentException if the version or the key is null, the version negative, or a column is no name or
     *     is the version's or the key's; the database was not asked
     * @throws IllegalStateException if several rows have the key and have been written, or the table keeps a row of the version
     *     expected as it is (a trigger); roll back
     * @throws SQLException as the database says, such as a deadlock
     */
    public long update(Connection connection, Object key, @Nullable Long version, Map<String, ?> values)
            throws SQLException {
        List<Object> keys = requireKey(key);
        long expected = requireVersion("a row of " + table, version);
        List<String> columns = requireColumns(values);
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            int count = write(connection, columns, keys, expected, values);
            if (count > 1) {
                throw new IllegalStateException(count + " rows of " + table
                        + " have the same key and have been written; roll back, and name columns that are unique");
            } else if (count == 1) {
                return expected + 1;
            }
            long found = look(connection, keys, expected);
            if (found != expected) {
                throw StaleVersionException.stale(table, expected, found);
            }
        }
        throw kept(null);
    }

    /** The row is there at the version expected, and stays as it is. */
    private IllegalStateException kept(@Nullable Integer position) {
        return new IllegalStateException((position == null ? "a row of " + table : "row " + position + " of the batch")
                + " is at the version expected, and was not written: a trigger, a rule or a policy of the table "
                + table
                + " keeps it; roll back, and look at those");
    }

    private int write(
            Connection connection, List<String> columns, List<Object> keys, long expected, Map<String, ?> values)
            throws SQLException {
        try {
            return newest(connection, prefix -> {
                try (PreparedStatement statement =
                        connection.prepareStatement(prefix + Names.quoted(connection, updateSql(columns)))) {
                    bind(statement, columns, keys, expected, values);
                    return statement.executeUpdate();
                }
            });
        } catch (SQLException e) {
            throw refused(connection, expected, e);
        }
    }

    private String updateSql(List<String> columns) {
        StringBuilder sql = new StringBuilder("UPDATE ").append(table).append(" SET ");
        for (String column : columns) {
            sql.append(column).append(" = ?, ");
        }
        return sql.append(versionColumn)
                .append(" = ? WHERE ")
                .append(keyIs())
                .append(" AND ")
                .append(versionColumn)
                .append(" = ?")
                .toString();
    }

    private String keyIs() {
        return InsertPlan.each(keyColumns, " AND ", "{column} = ?");
    }

    private static void bind(
            PreparedStatement statement, List<String> columns, List<Object> keys, long expected, Map<String, ?> values)
            throws SQLException {
        int index = bind(statement, 1, columns.stream().map(values::get).toList());
        statement.setLong(index, expected + 1);
        statement.setLong(bind(statement, index + 1, keys), expected);
    }

    /**
     * Binds values from this index on; returns the next one. PostgreSQL takes a text of no said type also for its own types,
     * such as UUIDs, enums and JSON.
     */
    private static int bind(PreparedStatement statement, int from, List<? extends @Nullable Object> values)
            throws SQLException {
        boolean untyped = DatabaseKind.of(statement.getConnection()) == DatabaseKind.POSTGRESQL;
        int index = from;
        for (Object value : values) {
            if (untyped && value instanceof String) {
                statement.setObject(index++, value, Types.OTHER);
            } else {
                statement.setObject(index++, value);
            }
        }
        return index;
    }

    /** The version that the row has. */
    private long look(Connection connection, List<Object> keys, long expected) throws SQLException {
        DatabaseKind known = DatabaseKind.of(connection);
        boolean locks = known == DatabaseKind.MARIADB || known == DatabaseKind.MYSQL;
        String sql = "SELECT " + versionColumn + " FROM " + table + " WHERE " + keyIs()
                + (locks ? " LOCK IN SHARE MODE" : "");
        return newest(connection, prefix -> {
            try (PreparedStatement statement = connection.prepareStatement(prefix + Names.quoted(connection, sql))) {
                bind(statement, 1, keys);
                // Not executeQuery: a driver may not see the query behind the prefix.
                statement.execute();
                try (ResultSet row = statement.getResultSet()) {
                    if (!row.next()) {
                        throw StaleVersionException.gone(table, expected);
                    }
                    long version = row.getLong(1);
                    if (row.wasNull()) {
                        throw new SchemaException(
                                "a row of " + table + " has NULL for its version, which guards nothing;" + " make "
                                        + versionColumn + " NOT NULL, with a number in each row");
                    }
                    return version;
                }
            }
        });
    }

    /**
     * Writes rows in a batch, in the caller's transaction: all or, where one is refused, none that may be kept.
     *
     * @param rows what to write; all with the same columns. A row may stand there several times, with rising versions
     * @return the new versions, in the order of the rows
     * @throws StaleVersionException if rows have other versions or are gone; it names which. Others may have been written: roll
     *     back
     * @throws IllegalStateException if the connection is in auto-commit, or as {@link #update}
     * @throws IllegalArgumentException as {@link #update}, or if rows have different columns; the database was not asked
     * @throws SQLException as the database says
     */
    public List<Long> updateAll(Connection connection, List<Row> rows) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in auto-commit, so that a part of the batch would be kept where"
                            + " another is refused; begin a transaction first");
        }
        List<Prepared> all = new ArrayList<>();
        for (Row row : rows) {
            Prepared prepared = new Prepared(
                    requireKey(row.key()),
                    requireVersion("a row of " + table, row.version()),
                    row.values(),
                    requireColumns(row.values()));
            if (!all.isEmpty() && !Set.copyOf(all.get(0).columns()).equals(Set.copyOf(prepared.columns()))) {
                throw new IllegalArgumentException(
                        "the rows of a batch write different columns; make a batch for each");
            }
            all.add(prepared);
        }
        if (!all.isEmpty()) {
            if (lockedAsExpected(connection, all)) {
                writeAll(connection, all);
            } else {
                writeOneByOne(connection, rows);
            }
        }
        return all.stream().map(row -> row.expected() + 1).toList();
    }

    /** A checked row. */
    private record Prepared(List<Object> keys, long expected, Map<String, ?> values, List<String> columns) {}

    private boolean lockedAsExpected(Connection connection, List<Prepared> all) throws SQLException {
        for (int from = 0; from < all.size(); from += LOCKED_AT_ONCE) {
            List<Prepared> some = all.subList(from, Math.min(all.size(), from + LOCKED_AT_ONCE));
            if (lock(connection, some) != some.size()) {
                return false;
            }
        }
        return true;
    }

    /** Locks rows at the versions expected; returns how many there are, or -1 where several have one key. */
    private int lock(Connection connection, List<Prepared> some) throws SQLException {
        String one = "(" + keyIs() + " AND " + versionColumn + " = ?)";
        String sql = "SELECT " + String.join(", ", keyColumns) + " FROM " + table + " WHERE "
                + String.join(" OR ", Collections.nCopies(some.size(), one)) + " ORDER BY "
                + String.join(", ", keyColumns) + " FOR UPDATE";
        try {
            return newest(connection, prefix -> {
                try (PreparedStatement statement =
                        connection.prepareStatement(prefix + Names.quoted(connection, sql))) {
                    int index = 1;
                    for (Prepared row : some) {
                        index = bind(statement, index, row.keys());
                        statement.setLong(index++, row.expected());
                    }
                    statement.execute();
                    return different(statement);
                }
            });
        } catch (SQLException e) {
            throw refused(connection, some.get(0).expected(), e);
        }
    }

    /** Two rows of one key must not make up for one that is missing. */
    private int different(PreparedStatement statement) throws SQLException {
        Set<List<String>> keys = new HashSet<>();
        int rows = 0;
        try (ResultSet found = statement.getResultSet()) {
            while (found.next()) {
                List<String> key = new ArrayList<>();
                for (int column = 1; column <= keyColumns.size(); column++) {
                    key.add(String.valueOf(found.getString(column)));
                }
                keys.add(key);
                rows++;
            }
        }
        return keys.size() == rows ? rows : -1;
    }

    /** The rows are locked and have the versions expected: each of them is written, if the driver does not say otherwise. */
    private void writeAll(Connection connection, List<Prepared> all) throws SQLException {
        List<String> columns = all.get(0).columns();
        try (PreparedStatement statement = connection.prepareStatement(Names.quoted(connection, updateSql(columns)))) {
            for (Prepared row : all) {
                bind(statement, columns, row.keys(), row.expected(), row.values());
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            for (int position = 0; position < counts.length; position++) {
                if (counts[position] == 0) {
                    throw kept(position);
                }
            }
        } catch (SQLException e) {
            throw refused(connection, all.get(0).expected(), e);
        }
    }

    /** Something is in the way, or a row stands there twice: single statements tell which. */
    private void writeOneByOne(Connection connection, List<Row> rows) throws SQLException {
        List<StaleVersionException.Row> refused = new ArrayList<>();
        for (int position = 0; position < rows.size(); position++) {
            Row row = rows.get(position);
            try {
                update(connection, row.key(), row.version(), row.values());
            } catch (StaleVersionException e) {
                StaleVersionException.Row one = e.rows().get(0);
                refused.add(new StaleVersionException.Row(position, one.expected(), one.found(), one.gone()));
                if (e.getCause() != null) {
                    break; // the database has ended the transaction
                }
            }
        }
        if (!refused.isEmpty()) {
            throw StaleVersionException.ofBatch(table, refused);
        }
    }

    /**
     * A database that refuses to write what is newer than the transaction's snapshot has found a conflict of versions. A
     * deadlock stays what it is, but with H2, which calls both the same.
     */
    private SQLException refused(Connection connection, long expected, SQLException e) throws SQLException {
        boolean changed = switch (DatabaseKind.of(connection)) {
            case POSTGRESQL -> "40001".equals(e.getSQLState());
            case H2 -> SqlTrouble.of(e) == SqlTrouble.DEAD;
            case MARIADB, MYSQL -> SqlTrouble.isChangedRow(e);
        };
        if (changed) {
            throw StaleVersionException.staleOrGone(table, expected, e);
        }
        return e;
    }

    private <T> T newest(Connection connection, Dialect.Prefixed<T> statement) throws SQLException {
        return DatabaseKind.of(connection) == DatabaseKind.MARIADB ? settings.run("", statement) : statement.run("");
    }

    private List<Object> requireKey(Object key) {
        List<?> parts = key instanceof List<?> list ? list : Collections.singletonList(key);
        if (parts.size() != keyColumns.size() || parts.stream().anyMatch(part -> part == null)) {
            throw new IllegalArgumentException("the key of " + table + " is " + String.join(", ", keyColumns)
                    + ", with a value for each and no nulls; give " + keyColumns.size() + " values");
        }
        return List.copyOf(parts);
    }

    private List<String> requireColumns(Map<String, ?> values) {
        Set<String> reserved = new HashSet<>();
        keyColumns.forEach(column -> reserved.add(Names.folded(column)));
        reserved.add(Names.folded(versionColumn));
        for (String column : values.keySet()) {
            if (!reserved.add(Names.folded(Names.requireColumn(column, "a column")))) {
                throw new IllegalArgumentException("the column " + column
                        + " is the version's or the key's, or stands there twice; it cannot be written");
            }
        }
        return List.copyOf(values.keySet());
    }
}
