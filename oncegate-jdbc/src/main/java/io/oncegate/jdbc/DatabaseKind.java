package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** The kinds of databases that are known here. */
public enum DatabaseKind {
    /** PostgreSQL. */
    POSTGRESQL,
    /** MariaDB, behind either driver. */
    MARIADB,
    /** MySQL itself. */
    MYSQL,
    /** H2. */
    H2;

    /**
     * The kind of this connection's database, also behind MySQL's driver.
     *
     * @return nothing if it is none of them
     */
    public static Optional<DatabaseKind> find(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        return switch (data.getDatabaseProductName()) {
            case "PostgreSQL" -> Optional.of(POSTGRESQL);
            case "H2" -> Optional.of(H2);
            case "MariaDB" -> Optional.of(MARIADB);
            case "MySQL" ->
                Optional.of(
                        data.getDatabaseProductVersion()
                                        .toLowerCase(Locale.ROOT)
                                        .contains("mariadb")
                                ? MARIADB
                                : MYSQL);
            default -> Optional.empty();
        };
    }

    /**
     * The same, where it has to be one of them.
     *
     * @throws SchemaException if it is none of them
     */
    static DatabaseKind of(Connection connection) throws SQLException {
        Optional<DatabaseKind> found = find(connection);
        if (found.isEmpty()) {
            throw new SchemaException("oncegate-jdbc does not know the database "
                    + connection.getMetaData().getDatabaseProductName() + "; use PostgreSQL, MariaDB, MySQL or H2");
        }
        return found.get();
    }
}
