package io.oncegate.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** The databases and drivers that a test runs on, as the source of a parameterised test. */
public enum Databases {
    /** H2 in memory. */
    H2 {
        @Override
        public TestDatabase fresh() {
            String url = H2Urls.memory();
            return new TestDatabase(this, url, H2Urls.USER, "", () -> run(url, H2Urls.USER, "", "SHUTDOWN"));
        }
    },
    /** PostgreSQL. */
    POSTGRESQL {
        @Override
        public TestDatabase fresh() {
            PostgresServer server = PostgresServer.shared();
            String admin = server.jdbcUrl("postgres");
            String name = uniqueName();
            run(admin, server.user(), server.password(), "CREATE DATABASE " + name);
            return new TestDatabase(
                    this,
                    server.jdbcUrl(name),
                    server.user(),
                    server.password(),
                    () -> run(admin, server.user(), server.password(), "DROP DATABASE " + name + " WITH (FORCE)"));
        }
    },
    /** MariaDB with its own driver. */
    MARIADB {
        @Override
        public TestDatabase fresh() {
            MariaDbServer server = MariaDbServer.shared();
            String name = uniqueName();
            run(server.jdbcUrl(""), server.user(), server.password(), "CREATE DATABASE " + name);
            return new TestDatabase(this, server.jdbcUrl(name), server.user(), server.password(), drop(server, name));
        }
    },
    /** MariaDB with MySQL's driver. */
    MARIADB_MYSQL_DRIVER {
        @Override
        public TestDatabase fresh() {
            MariaDbServer server = MariaDbServer.shared();
            String name = uniqueName();
            run(server.jdbcUrl(""), server.user(), server.password(), "CREATE DATABASE " + name);
            return new TestDatabase(
                    this, server.mysqlJdbcUrl(name), server.user(), server.password(), drop(server, name));
        }
    };

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A new, empty database; close it to drop it. */
    public abstract TestDatabase fresh();

    private static Runnable drop(MariaDbServer server, String name) {
        return () -> run(server.jdbcUrl(""), server.user(), server.password(), "DROP DATABASE " + name);
    }

    private static String uniqueName() {
        return String.format(Locale.ROOT, "t%d_%d", ProcessHandle.current().pid(), NAMES.incrementAndGet());
    }

    private static void run(String url, String user, String password, String sql) {
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("Failed on " + url + ": " + sql, e);
        }
    }
}
