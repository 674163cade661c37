package io.oncegate.benchmarks;

import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The tables and statements without Oncegate: a business of two statements that do not get into each other's way, a guard
 * as it is written by hand, and single bare statements. Thread-safe.
 */
final class BareSql {
    /** A guard that can be cleaned up: its time has an index, as ours has. */
    static final String GUARD = "hand_guard";

    /** The same without that index. It never gets smaller. */
    static final String LEAN_GUARD = "hand_guard_lean";

    /** Rows of one's own, by an id. */
    static final String BARE = "bare_row";

    /** Orders that a unique constraint keeps from being placed twice. */
    static final String GUARDED_ORDERS = "guarded_orders";

    /** That constraint. */
    static final String REQUEST = "uk_guarded_request";

    private static final int STOCKS = 1024;
    private static final List<String> TABLES = List.of("orders", GUARDED_ORDERS, GUARD, LEAN_GUARD, BARE);

    private final boolean postgres;

    BareSql(Databases kind) {
        this.postgres = kind == Databases.POSTGRESQL;
    }

    void create(TestDatabase database) throws SQLException {
        String bytes = postgres ? "BYTEA" : "VARBINARY(64)";
        String blob = postgres ? "BYTEA" : "LONGBLOB";
        String text = postgres ? "VARCHAR(64)" : "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin";
        String number = postgres ? "BIGINT GENERATED ALWAYS AS IDENTITY" : "BIGINT AUTO_INCREMENT";
        String time =
                postgres ? "TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()" : "DATETIME(6) NOT NULL DEFAULT NOW(6)";
        String guard = "CREATE TABLE %s (id " + bytes + " NOT NULL PRIMARY KEY, operation VARCHAR(100) NOT NULL,"
                + " fingerprint " + bytes + " NOT NULL, result " + blob + ", created_at " + time + ")";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE stock (id INT NOT NULL PRIMARY KEY, seats INT NOT NULL)");
            String orders = " (id " + number + " PRIMARY KEY, request_id " + text
                    + " NOT NULL, session_id INT NOT NULL," + " quantity INT NOT NULL, status VARCHAR(20) NOT NULL";
            statement.execute("CREATE TABLE orders" + orders + ")");
            statement.execute(
                    "CREATE TABLE " + GUARDED_ORDERS + orders + ", CONSTRAINT " + REQUEST + " UNIQUE (request_id))");
            statement.execute(String.format(Locale.ROOT, guard, GUARD));
            statement.execute("CREATE INDEX hand_guard_created ON " + GUARD + " (created_at)");
            statement.execute(String.format(Locale.ROOT, guard, LEAN_GUARD));
            statement.execute("CREATE TABLE " + BARE + " (id " + bytes + " NOT NULL PRIMARY KEY, operation VARCHAR(100)"
                    + " NOT NULL, result " + blob + ")");
            StringBuilder stocks = new StringBuilder("INSERT INTO stock (id, seats) VALUES (0, 1000000000)");
            for (int i = 1; i < STOCKS; i++) {
                stocks.append(", (").append(i).append(", 1000000000)");
            }
            statement.execute(stocks.toString());
        }
    }

    /** Empties all tables but the stock, and these. */
    void clean(TestDatabase database, String... further) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute("TRUNCATE TABLE " + table);
            }
            for (String table : further) {
                statement.execute("TRUNCATE TABLE " + table);
            }
        }
    }

    /** Takes stock and places an order. */
    void business(Connection connection, String request) throws SQLException {
        int stock = anyStock();
        take(connection, stock);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO orders (request_id, session_id, quantity, status) VALUES (?, ?, 2, 'PENDING_PAYMENT')")) {
            insert.setString(1, request);
            insert.setInt(2, stock);
            one(insert);
        }
    }

    /** Any of the stock's rows. */
    static int anyStock() {
        return ThreadLocalRandom.current().nextInt(STOCKS);
    }

    /** Takes two seats of this row of the stock. */
    void take(Connection connection, int stock) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE stock SET seats = seats - 2 WHERE id = ? AND seats >= 2")) {
            update.setInt(1, stock);
            one(update);
        }
    }

    /** The guard written by hand: insert-first, its count checked. */
    void guard(Connection connection, String table, String request, byte[] fingerprint, byte[] result)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO " + table + " (id, operation, fingerprint, result) VALUES (?, ?, ?, ?)"
                        + (postgres ? " ON CONFLICT (id) DO NOTHING" : ""))) {
            insert.setBytes(1, Hand.key(request));
            insert.setString(2, Orders.NAME);
            insert.setBytes(3, fingerprint);
            insert.setBytes(4, result.length == 0 ? null : result);
            one(insert);
        }
    }

    /** Puts the result into the guard's row. */
    void guardResult(Connection connection, String request) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + GUARD + " SET result = ? WHERE id = ?")) {
            update.setBytes(1, Orders.RESULT_BYTES);
            update.setBytes(2, Hand.key(request));
            one(update);
        }
    }

    void insert(Connection connection, byte[] id, byte[] result) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + BARE + " (id, operation, result) VALUES (?, ?, ?)")) {
            insert.setBytes(1, id);
            insert.setString(2, Orders.NAME);
            insert.setBytes(3, result.length == 0 ? null : result);
            one(insert);
        }
    }

    void select(Connection connection, byte[] id) throws SQLException {
        if (!isThere(connection, id)) {
            throw new IllegalStateException("No such row");
        }
    }

    /** Looks whether there is a row with this id, which then has a result. */
    boolean isThere(Connection connection, byte[] id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT operation, result FROM " + BARE + " WHERE id = ?")) {
            select.setBytes(1, id);
            try (ResultSet row = select.executeQuery()) {
                boolean there = row.next();
                if (there && row.getBytes(2).length != Orders.RESULT_BYTES.length) {
                    throw new IllegalStateException("Another row");
                }
                return there;
            }
        }
    }

    /** Durability as the server reports it. */
    String settings(TestDatabase database) throws SQLException {
        String sql = postgres
                ? "SELECT 'fsync ' || current_setting('fsync') || ', synchronous_commit '"
                        + " || current_setting('synchronous_commit')"
                : "SELECT CONCAT('innodb_flush_log_at_trx_commit ', @@innodb_flush_log_at_trx_commit, ', sync_binlog ',"
                        + " @@sync_binlog, ', log_bin ', @@log_bin)";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return connection.getMetaData().getDatabaseProductName() + " "
                    + connection.getMetaData().getDatabaseProductVersion() + ", " + row.getString(1) + ", by "
                    + connection.getMetaData().getDriverName() + " "
                    + connection.getMetaData().getDriverVersion();
        }
    }

    private static void one(PreparedStatement statement) throws SQLException {
        if (statement.executeUpdate() != 1) {
            throw new IllegalStateException("A statement did not change one row");
        }
    }
}
