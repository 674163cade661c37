package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

/** The kinds of databases. */
enum DatabaseKind {
    POSTGRESQL,
    MARIADB,
    MYSQL,
    H2;

    /**
     * The kind of this connection's database, also behind MySQL's driver.
     *
     * @throws SchemaException if it is none of them
     */
    static DatabaseKind of(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String product = data.getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "H2" -> H2;
            case "MariaDB" -> MARIADB;
            case "MySQL" ->
                data.getDatabaseProductVersion().toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : MYSQL;
            default ->
                throw new SchemaException("oncegate-jdbc does not know the database " + product
                        + "; use PostgreSQL, MariaDB, MySQL or H2");
        };
    }
}
