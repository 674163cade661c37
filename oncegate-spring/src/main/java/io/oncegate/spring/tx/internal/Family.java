package io.oncegate.spring.tx.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** The kinds of databases, as far as an insert in a caller's transaction differs. */
enum Family {
    POSTGRESQL,
    /** MariaDB from the version on that knows {@code innodb_snapshot_isolation}. */
    MARIADB_WITH_SNAPSHOTS,
    /** MySQL and older MariaDB. */
    MYSQL,
    H2,
    OTHER;

    static Family of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        if (product.contains("postgresql")) {
            return POSTGRESQL;
        } else if (product.contains("mariadb") || product.contains("mysql")) {
            return knowsSnapshots(connection) ? MARIADB_WITH_SNAPSHOTS : MYSQL;
        }
        return product.equals("h2") ? H2 : OTHER;
    }

    private static boolean knowsSnapshots(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")) {
            return row.next();
        }
    }

    /** Whether a locking read sees what has been committed since the snapshot was taken. */
    boolean readsPastSnapshot() {
        return this == MARIADB_WITH_SNAPSHOTS || this == MYSQL;
    }
}
