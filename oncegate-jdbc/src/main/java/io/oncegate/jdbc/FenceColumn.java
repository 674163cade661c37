package io.oncegate.jdbc;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Carries the fence of a lock or claim to the end: a column of the business's own rows that remembers the highest fence that
 * has written there. Immutable.
 *
 * <ol>
 *   <li>One statement writes the row and the fence, on condition that the fence there is no higher. It is refused or done as
 *       a whole, in auto-commit or in a transaction.
 *   <li>Only if that finds nothing, the row is read and locked, to say why: a newer holder has been there ({@link
 *       StaleFenceException}), there is no such row, or the driver counts changed rows only and nothing had to be changed.
 *   <li>Each holder raises the column before its business begins ({@link #raise}), so that older ones are refused from then
 *       on, also if the newer one never writes.
 * </ol>
 *
 * <p>The column is a BIGINT, best NOT NULL DEFAULT 0; NULL is as good as 0. A refusal leaves the transaction usable; it is to
 * be rolled back. To write in other ways, call {@link #raise} in the same transaction first: the row stays locked.
 */
public final class FenceColumn {
    private static final int MOST_TRIES = 5;

    private final String table;
    private final String keyColumn;
    private final String fenceColumn;
    private final String look;

    private FenceColumn(String table, String keyColumn, String fenceColumn) {
        this.table = Names.requireTable(table);
        this.keyColumn = Names.requireColumn(keyColumn, "the key column");
        this.fenceColumn = Names.requireColumn(fenceColumn, "the fence column");
        this.look = "SELECT " + fenceColumn + " FROM " + table + " WHERE " + keyColumn + " = ? FOR UPDATE";
    }

    /**
     * The column of a table.
     *
     * @param table the table's name, with its schema's name and a dot before it if need be
     * @param keyColumn the column by which rows are found, and which is unique
     * @param fenceColumn the column that keeps the fence
     * @throws IllegalArgumentException if one of them is no name
     */
    public static FenceColumn of(String table, String keyColumn, String fenceColumn) {
        return new FenceColumn(table, keyColumn, fenceColumn);
    }

    /**
     * Writes columns of a row, and the fence.
     *
     * @param key what is locked, for the message of a refusal
     * @param fence as the lock or claim has it; more than zero
     * @param rowKey the row's value of the key column
     * @param values what to write, by the columns' names; values are bound by {@link PreparedStatement#setObject}
     * @return false if there is no such row
     * @throws StaleFenceException if a newer holder has been there
     * @throws IllegalArgumentException if a column's name is none, or is the fence's or the key's
     * @throws IllegalStateException if the key column was not unique; roll back
     * @throws SQLException as the database says
     */
    public boolean update(Connection connection, OperationKey key, long fence, Object rowKey, Map<String, ?> values)
            throws SQLException {
        FenceTable.requireFence(fence);
        StringBuilder assignments = new StringBuilder();
        List<Object> parameters = new ArrayList<>();
        for (Map.Entry<String, ?> value : values.entrySet()) {
            assignments.append(requireAssignable(value.getKey())).append(" = ?, ");
            parameters.add(value.getValue());
        }
        String sql = "UPDATE " + table + " SET " + assignments + fenceColumn + " = ? WHERE " + keyColumn + " = ? AND ("
                + fenceColumn + " <= ? OR " + fenceColumn + " IS NULL)";
        parameters.add(fence);
        parameters.add(rowKey);
        parameters.add(fence);
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            int count = update(connection, sql, parameters);
            if (count > 1) {
                throw new IllegalStateException(count + " rows of " + table + " have the same " + keyColumn
                        + " and have been written; roll back, and name a column that is unique");
            } else if (count == 1) {
                return true;
            }
            Found found = look(connection, rowKey);
            if (!found.row()) {
                return false;
            } else if (found.fence() > fence) {
                throw new StaleFenceException(key.operation(), fence, found.fence(), key.digest());
            } else if (found.fence() == fence && tries > 0) {
                return true; // twice nothing was to be changed, the second time in a row that was locked
            }
        }
        throw new SQLException("the row was another one at every try", "40001");
    }

    /** Writes the fence alone, and leaves the row locked until the transaction ends. Else as {@link #update}. */
    public boolean raise(Connection connection, OperationKey key, long fence, Object rowKey) throws SQLException {
        return update(connection, key, fence, rowKey, Map.of());
    }

    private String requireAssignable(String column) {
        String folded = Names.folded(Names.requireColumn(column, "a column"));
        if (folded.equals(Names.folded(fenceColumn)) || folded.equals(Names.folded(keyColumn))) {
            throw new IllegalArgumentException(
                    "the column " + column + " is the fence's or the key's; it cannot be written");
        }
        return column;
    }

    private static int update(Connection connection, String sql, List<Object> parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Names.quoted(connection, sql))) {
            int index = 1;
            for (Object parameter : parameters) {
                statement.setObject(index++, parameter);
            }
            return statement.executeUpdate();
        }
    }

    private record Found(boolean row, long fence) {}

    private Found look(Connection connection, Object rowKey) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Names.quoted(connection, look))) {
            statement.setObject(1, rowKey);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? new Found(true, row.getLong(1)) : new Found(false, 0);
            }
        }
    }
}
