package io.oncegate.spring.tx.internal;

import io.oncegate.jdbc.DatabaseKind;
import java.sql.Connection;
import java.sql.SQLException;

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
        DatabaseKind kind = DatabaseKind.find(connection).orElse(null);
        if (kind == null) {
            return OTHER;
        }
        return switch (kind) {
            case POSTGRESQL -> POSTGRESQL;
            case MARIADB, MYSQL -> knowsSnapshots(connection) ? MARIADB_WITH_SNAPSHOTS : MYSQL;
            case H2 -> H2;
        };
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
