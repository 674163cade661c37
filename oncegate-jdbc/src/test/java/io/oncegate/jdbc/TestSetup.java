package io.oncegate.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.key.RecordId;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** The databases, drivers, driver settings and dialects that the tests run with. */
enum TestSetup {
    H2(Databases.H2, "", true),
    POSTGRESQL(Databases.POSTGRESQL, "", true),
    POSTGRESQL_REPEATABLE_READ(
            Databases.POSTGRESQL, "?options=-c%20default_transaction_isolation=repeatable\\%20read", false),
    MARIADB(Databases.MARIADB, "", true),
    MARIADB_CHANGED_ROWS(
            Databases.MARIADB,
            "?useAffectedRows=true&useServerPrepStmts=true&sessionVariables=time_zone='+08:00',sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES,ORACLE'",
            false),
    MARIADB_BY_MYSQL_DRIVER(Databases.MARIADB_MYSQL_DRIVER, "?useLocalSessionState=true", true),
    MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS(
            Databases.MARIADB_MYSQL_DRIVER, "?useAffectedRows=true&useServerPrepStmts=true&cachePrepStmts=true", false),
    MYSQL_DIALECT(Databases.MARIADB_MYSQL_DRIVER, "", true),
    MYSQL_DIALECT_BY_MARIADB_DRIVER(Databases.MARIADB, "?useAffectedRows=true", true);

    /** One of each kind. */
    static final List<TestSetup> KINDS = List.of(H2, POSTGRESQL, MARIADB, MARIADB_BY_MYSQL_DRIVER, MYSQL_DIALECT);

    final Databases databases;
    final String options;
    final boolean autoCommit;

    TestSetup(Databases databases, String options, boolean autoCommit) {
        this.databases = databases;
        this.options = options;
        this.autoCommit = autoCommit;
    }

    boolean mysqlFamily() {
        return name().startsWith("M");
    }

    boolean mysqlDialect() {
        return name().startsWith("MYSQL");
    }

    boolean postgres() {
        return name().startsWith("P");
    }

    /** A new database with the table, and with a table of the business. */
    Open open() {
        return new Open(this, databases.fresh());
    }

    static final class Open implements AutoCloseable {
        final TestSetup setup;
        final TestDatabase database;
        final HikariDataSource small;

        private Open(TestSetup setup, TestDatabase database) {
            this.setup = setup;
            this.database = database;
            this.small = pool(2);
            JdbcSchema.of(small).create();
            execute("CREATE TABLE business_row (name VARCHAR(200) NOT NULL, amount BIGINT NOT NULL)");
        }

        HikariDataSource pool(int size) {
            return pool(size, setup.autoCommit);
        }

        HikariDataSource pool(int size, boolean autoCommit) {
            return database.pool(database.url() + setup.options, size, autoCommit);
        }

        /** A pool at this address, for whose connections nobody waits longer than this. */
        static HikariDataSource pool(
                TestDatabase database, String address, int size, boolean autoCommit, Duration wait) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(address);
            config.setUsername(database.user());
            config.setPassword(database.password());
            config.setMaximumPoolSize(size);
            config.setMinimumIdle(0);
            config.setAutoCommit(autoCommit);
            config.setConnectionTimeout(wait.toMillis());
            return new HikariDataSource(config);
        }

        JdbcRecordStore.Builder store(DataSource source) {
            JdbcRecordStore.Builder builder = JdbcRecordStore.builder(source);
            if (setup.mysqlDialect()) {
                builder.dialect(new MySqlDialect("oncegate_record"));
            }
            return builder;
        }

        JdbcTransactionalRecordStore.Builder transactional(TransactionSource source) {
            JdbcTransactionalRecordStore.Builder builder = JdbcTransactionalRecordStore.builder(source);
            if (setup.mysqlDialect()) {
                builder.dialect(new MySqlDialect("oncegate_record"));
            }
            return builder;
        }

        JdbcLockStore.Builder locks(DataSource source) {
            JdbcLockStore.Builder builder = JdbcLockStore.builder(source);
            if (setup.mysqlDialect()) {
                builder.dialect(new MySqlDialect(JdbcLockStore.DEFAULT_TABLE));
            }
            return builder;
        }

        FenceTable fences() {
            return setup.mysqlDialect() ? FenceTable.of(new MySqlDialect(FenceTable.DEFAULT_TABLE)) : FenceTable.of();
        }

        long lockRows(RecordId id) {
            try (Connection connection = small.getConnection();
                    PreparedStatement statement =
                            connection.prepareStatement("SELECT COUNT(*) FROM oncegate_lock WHERE id = ?")) {
                connection.setAutoCommit(true);
                statement.setBytes(1, id.toBytes());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        StoreBackend backend() {
            return StoreBackend.withRealClock(this::micros);
        }

        long micros() {
            try (Connection connection = small.getConnection()) {
                connection.setAutoCommit(true);
                Dialect dialect = Dialect.of(connection, "oncegate_record", 0);
                return TestSetup.number(connection, dialect.sql("SELECT {now}"));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        void execute(String sql) {
            try (Connection connection = small.getConnection();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(true);
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }

        long number(String sql) {
            try (Connection connection = small.getConnection()) {
                connection.setAutoCommit(true);
                return TestSetup.number(connection, sql);
            } catch (SQLException e) {
                throw new IllegalStateException(sql, e);
            }
        }

        int businessRows(String name) {
            try (Connection connection = small.getConnection()) {
                connection.setAutoCommit(true);
                return countBusiness(connection, name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            database.close();
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    static void insertBusiness(Connection connection, String name) {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO business_row (name, amount) VALUES (?, 1)")) {
            statement.setString(1, name);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static int countBusiness(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT COUNT(*) FROM business_row WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
