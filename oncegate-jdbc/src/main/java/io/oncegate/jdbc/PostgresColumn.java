package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * A column of a PostgreSQL table. Immutable.
 *
 * @param type what a value is cast to, so that it is rounded as by the column and never truncated: with precision for
 *     numbers and times, without length for texts and bits
 * @param text whether it keeps text
 * @param fixed whether it pads with blanks
 * @param byText whether values are compared by their text: texts, byte for byte, and types that have no equality
 * @param size the most characters; 0 if any number
 */
record PostgresColumn(String type, boolean text, boolean fixed, boolean byText, int size) {
    private static final int TYPMOD_HEADER = 4;

    /** Domains are followed to what they are made of. */
    private static final String SQL = "SELECT a.attname, b.typname, b.typcategory,"
            + " format_type(b.oid, CASE WHEN b.typname IN ('numeric', 'timestamp', 'timestamptz', 'time', 'timetz', 'interval')"
            + " THEN b.typmod ELSE -1 END), b.typmod FROM pg_attribute a, LATERAL ("
            + "WITH RECURSIVE d AS (SELECT t.oid, t.typname, t.typcategory, t.typtype, t.typbasetype, t.typtypmod,"
            + " a.atttypmod AS typmod, 0 AS depth FROM pg_type t WHERE t.oid = a.atttypid UNION ALL"
            + " SELECT t.oid, t.typname, t.typcategory, t.typtype, t.typbasetype, t.typtypmod, d.typtypmod, d.depth + 1"
            + " FROM d JOIN pg_type t ON t.oid = d.typbasetype WHERE d.typtype = 'd')"
            + " SELECT * FROM d ORDER BY depth DESC LIMIT 1) b"
            + " WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped";

    /** The columns of a table by their names, which are lower case for those that were made without quotes. */
    static Map<String, PostgresColumn> of(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                Map<String, PostgresColumn> columns = new HashMap<>();
                while (row.next()) {
                    columns.put(
                            row.getString(1), of(row.getString(2), row.getString(3), row.getString(4), row.getInt(5)));
                }
                return Map.copyOf(columns);
            }
        }
    }

    private static PostgresColumn of(String name, String category, String type, int typmod) {
        boolean text = category.equals("S");
        boolean byText = text || category.equals("G") || name.equals("json") || name.equals("xml");
        boolean sized = name.equals("varchar") || name.equals("bpchar");
        return new PostgresColumn(
                type,
                text,
                name.equals("bpchar"),
                byText,
                sized && typmod > TYPMOD_HEADER ? typmod - TYPMOD_HEADER : 0);
    }

    /** A condition that two columns of this kind are the same. */
    String same(String one, String other) {
        return byText
                ? "CAST(" + one + " AS text) COLLATE \"C\" IS NOT DISTINCT FROM CAST(" + other
                        + " AS text) COLLATE \"C\""
                : one + " IS NOT DISTINCT FROM " + other;
    }
}
