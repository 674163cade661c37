package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds out at the first call which dialect the database speaks, and remembers it. Thread-safe. */
final class Dialects {
    static final String DEFAULT_TABLE = "oncegate_record";

    private static final Pattern TABLE =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,62}");

    private final String table;
    private final long lockMillis;
    private volatile @Nullable Dialect dialect;

    /** As {@link Dialect#of}. */
    Dialects(String table, long lockMillis) {
        this.table = requireTable(table);
        this.lockMillis = lockMillis;
    }

    /** Always this one. */
    Dialects(Dialect dialect) {
        this.table = dialect.table;
        this.lockMillis = 0;
        this.dialect = dialect;
    }

    static String requireTable(String table) {
        if (!TABLE.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "a table's name has 1 to 63 of the characters A-Z a-z 0-9 _ and no leading"
                            + " digit, with the schema's name and a dot before it if need be; not: " + table);
        }
        return table;
    }

    String table() {
        return table;
    }

    Dialect of(Connection connection) throws SQLException {
        Dialect known = dialect;
        if (known == null) {
            known = Dialect.of(connection, table, lockMillis);
            dialect = known;
        }
        return known;
    }
}
