package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DatabasesIT {

    @ParameterizedTest
    @EnumSource
    void everyDatabaseAnswersThroughAPool(Databases kind) throws SQLException {
        try (TestDatabase database = kind.fresh();
                HikariDataSource pool = database.pool(2, false);
                Connection connection = pool.getConnection()) {
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(one(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void freshDatabasesAreApart(Databases kind) throws SQLException {
        try (TestDatabase first = kind.fresh();
                TestDatabase second = kind.fresh();
                Connection a = first.connect();
                Connection b = second.connect()) {
            execute(a, "CREATE TABLE t (id INT PRIMARY KEY)");
            assertThatThrownBy(() -> one(b, "SELECT COUNT(*) FROM t")).isInstanceOf(SQLException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Databases.class,
            names = {"MARIADB", "MARIADB_MYSQL_DRIVER"})
    void mariaDbIsDurable(Databases kind) throws SQLException {
        try (TestDatabase database = kind.fresh();
                Connection connection = database.connect()) {
            assertThat(one(connection, "SELECT @@innodb_flush_log_at_trx_commit"))
                    .isEqualTo("1");
            assertThat(one(connection, "SELECT @@sync_binlog")).isEqualTo("1");
            assertThat(one(connection, "SELECT @@log_bin")).isIn("1", "true");
        }
    }

    @Test
    void postgresIsDurable() throws SQLException {
        try (TestDatabase database = Databases.POSTGRESQL.fresh();
                Connection connection = database.connect()) {
            assertThat(one(connection, "SHOW fsync")).isEqualTo("on");
            assertThat(one(connection, "SHOW full_page_writes")).isEqualTo("on");
            assertThat(one(connection, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(one(connection, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void ownPostgresKeepsItsDataOverKillAndStop() throws SQLException {
        try (PostgresServer server = PostgresServer.own()) {
            assertKeeps(server, server.jdbcUrl("postgres"), server.user(), server.password());
        }
    }

    @Test
    void ownMariaDbKeepsItsDataOverKillAndStop() throws SQLException {
        try (MariaDbServer server = MariaDbServer.own("--innodb-lock-wait-timeout=2")) {
            assertKeeps(server, server.jdbcUrl("test"), server.user(), server.password());
        }
    }

    private static void assertKeeps(TestServer server, String url, String user, String password) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            execute(connection, "CREATE TABLE t (id INT PRIMARY KEY)");
            execute(connection, "INSERT INTO t VALUES (1)");
        }
        server.kill();
        assertThatThrownBy(() -> DriverManager.getConnection(url, user, password))
                .isInstanceOf(SQLException.class);
        server.start();
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            execute(connection, "INSERT INTO t VALUES (2)");
        }
        server.stop();
        server.start();
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            assertThat(one(connection, "SELECT COUNT(*) FROM t")).isEqualTo("2");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
