package io.oncegate.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One empty database on durable settings, reached directly, and through a relay that counts. Thread-safe. */
final class MeasuredDatabase implements AutoCloseable {
    private final Databases kind;
    private final TestDatabase database;
    private final Relay relay;

    MeasuredDatabase(Databases kind) {
        this.kind = kind;
        this.database = kind.fresh();
        URI server = URI.create(database.url().substring("jdbc:".length()));
        this.relay = new Relay(server.getHost(), server.getPort());
    }

    /** What rows are named after. */
    String name() {
        return switch (kind) {
            case POSTGRESQL -> "PostgreSQL";
            case MARIADB -> "MariaDB";
            case MARIADB_MYSQL_DRIVER -> "MariaDB by MySQL's driver";
            case H2 -> "H2";
        };
    }

    Databases kind() {
        return kind;
    }

    TestDatabase database() {
        return database;
    }

    Relay relay() {
        return relay;
    }

    boolean isPostgres() {
        return kind == Databases.POSTGRESQL;
    }

    /** A pool for measuring. */
    HikariDataSource direct(int size, boolean autoCommit) {
        return database.pool(size, autoCommit);
    }

    /** A pool of one connection that the relay counts. */
    HikariDataSource relayed(boolean autoCommit) {
        String url = database.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + relay.port() + "/");
        return database.pool(url, 1, autoCommit);
    }

    /** Runs statements one after another, on one connection past all pools. */
    void run(String... statements) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The number in the first column of the only row. */
    long number(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() {
        database.close();
        relay.close();
    }
}
