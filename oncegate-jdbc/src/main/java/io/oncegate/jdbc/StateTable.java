package io.oncegate.jdbc;

/**
 * The application's table whose rows a state machine moves. Immutable.
 *
 * <p>The key column is unique and NOT NULL. The state column holds the state's code, a text or a whole number; the version
 * column is a whole number, NOT NULL, best DEFAULT 0, and every writer of the row raises it.
 */
public final class StateTable {
    private final String table;
    private final String key;
    private final String state;
    private final String version;

    private StateTable(String table, String key, String state, String version) {
        this.table = table;
        this.key = key;
        this.state = state;
        this.version = version;
    }

    /**
     * The columns of a table.
     *
     * @param table the table's name, with its schema's name and a dot before it if need be
     * @param keyColumn the column by which rows are found, and which is unique
     * @param stateColumn the column that keeps the state
     * @param versionColumn the column that keeps the version
     * @throws IllegalArgumentException if one of them is no name
     */
    public static StateTable of(String table, String keyColumn, String stateColumn, String versionColumn) {
        return new StateTable(
                Names.requireTable(table),
                Names.requireColumn(keyColumn, "the key column"),
                Names.requireColumn(stateColumn, "the state column"),
                Names.requireColumn(versionColumn, "the version column"));
    }

    String table() {
        return table;
    }

    String select() {
        return "SELECT " + key + ", " + state + ", " + version + " FROM " + table + " WHERE ";
    }

    String keyed() {
        return key + " = ?";
    }

    String move() {
        return "UPDATE " + table + " SET " + state + " = ?, " + version + " = " + version + " + 1 WHERE " + key
                + " = ? AND " + state + " = ? AND " + version + " = ?";
    }

    @Override
    public String toString() {
        return "StateTable[" + table + "." + state + "]";
    }
}
