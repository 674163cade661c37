package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of an application's tables and columns that may stand in a statement's text: plain ones, and any others in quotes,
 * such as reserved words and names in upper and lower case. Quotes are " or `, whatever the database's own are.
 */
final class Names {
    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]{0,62}";
    private static final String QUOTED = "[\\p{L}\\p{N}_ $#-]{1,63}";
    private static final String NAME = "(" + PLAIN + "|\"" + QUOTED + "\"|`" + QUOTED + "`)";
    private static final Pattern COLUMN = Pattern.compile(NAME);
    private static final Pattern TABLE = Pattern.compile("(" + NAME + "\\.)?" + NAME);
    private static final String RULE =
            " has 1 to 63 of the characters A-Z a-z 0-9 _ and no leading digit; put any other one in quotes, as in \"order\"";

    private Names() {}

    /** Refuses what is no name. */
    static String requireColumn(String name, String of) {
        if (name == null || !COLUMN.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of " + of + RULE + "; not: " + name);
        }
        return name;
    }

    /** Refuses what is no name of a table; its schema's name and a dot may stand before it. */
    static String requireTable(String name) {
        if (name == null || !TABLE.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of a table" + RULE
                    + ", with the schema's name and a dot before it if need be; not: " + name);
        }
        return name;
    }

    /** A statement whose quotes are all around names, with those of the connection's database. */
    static String quoted(Connection connection, String sql) throws SQLException {
        if (sql.indexOf('"') < 0 && sql.indexOf('`') < 0) {
            return sql;
        }
        return switch (DatabaseKind.of(connection)) {
            case MARIADB, MYSQL -> mySql(sql);
            case POSTGRESQL, H2 -> standard(sql);
        };
    }

    /** The same for MariaDB and MySQL. */
    static String mySql(String sql) {
        return sql.replace('"', '`');
    }

    /** The same for PostgreSQL and H2. */
    static String standard(String sql) {
        return sql.replace('`', '"');
    }

    /** Whether a name stands in quotes, so that the database takes it as it is. */
    static boolean isQuoted(String name) {
        return name.length() > 2 && (name.startsWith("\"") || name.startsWith("`"));
    }

    /** What stands before the dot of a table's name, or null. */
    static @Nullable String schema(String table) {
        int dot = table.indexOf('.');
        return dot < 0 ? null : table.substring(0, dot);
    }

    /** A table's name without its schema's. */
    static String withoutSchema(String table) {
        return table.substring(table.indexOf('.') + 1);
    }

    /** The same for names that differ in quotes and in upper and lower case alone. */
    static String folded(String name) {
        return bare(name).toLowerCase(Locale.ROOT);
    }

    /** A name without its quotes, as catalogs have it. */
    static String bare(String name) {
        return isQuoted(name) ? name.substring(1, name.length() - 1) : name;
    }
}
