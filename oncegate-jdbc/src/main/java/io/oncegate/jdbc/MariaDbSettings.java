package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Settings of MariaDB's that hold for one statement, always with {@code innodb_snapshot_isolation} off: on by default since
 * 11.6, it would end the transaction where a row is newer than its snapshot. Thread-safe.
 */
final class MariaDbSettings {
    /** Whether the server is older than innodb_snapshot_isolation. */
    private volatile boolean withoutSnapshotIsolation;

    /** Runs a statement behind these settings, of the form {@code a=1, b=2}, or none. */
    <T> T run(String settings, Dialect.Prefixed<T> statement) throws SQLException {
        if (!withoutSnapshotIsolation) {
            try {
                return statement.run("SET STATEMENT " + settings + (settings.isEmpty() ? "" : ", ")
                        + "innodb_snapshot_isolation=OFF FOR ");
            } catch (SQLException e) {
                if (SqlTrouble.of(e) != SqlTrouble.UNKNOWN_VARIABLE) {
                    throw e;
                }
                withoutSnapshotIsolation = true;
            }
        }
        return statement.run(settings.isEmpty() ? "" : "SET STATEMENT " + settings + " FOR ");
    }

    /** A server may be set to take back the whole transaction after a lock wait, not the statement alone. */
    static void requireTransaction(Connection connection, SQLException lockWait) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
            row.next();
            if (row.getBoolean(1)) {
                throw new SQLException(
                        "the server has rolled the transaction back after a lock wait (innodb_rollback_on_timeout)",
                        "40001",
                        0,
                        lockWait);
            }
        }
    }
}
