package io.oncegate.benchmarks;

import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Insert-first of a row of one's own, and the two ways in which it is usually written by hand, against single statements:
 * in auto-commit, where one statement is one round trip. Thread-safe.
 */
final class InsertFirstPaths {
    private final InsertFirst rows = InsertFirst.into(BareSql.BARE)
            .guard(UniqueConstraint.primaryKey(BareSql.BARE), "id")
            .content("operation")
            .build();
    private final InsertFirst orders = InsertFirst.into(BareSql.GUARDED_ORDERS)
            .guard(UniqueConstraint.named(BareSql.REQUEST), "request_id")
            .content("session_id", "quantity")
            .build();
    private final BareSql sql;
    private final DataSource source;
    private final DataSource transactions;
    private final int prefilled;
    private List<String> known = List.of();

    /**
     * The paths.
     *
     * @param source in auto-commit
     * @param transactions not in auto-commit
     */
    InsertFirstPaths(BareSql sql, DataSource source, DataSource transactions, int prefilled) {
        this.sql = sql;
        this.source = source;
        this.transactions = transactions;
        this.prefilled = prefilled;
    }

    /**
     * The rows.
     *
     * @param duplicateGoal the goal of a duplicate, which differs from database to database
     */
    List<Row> rows(String prefix, int threads, double duplicateGoal) {
        return Stream.of(
                        newKeys(prefix, threads),
                        duplicates(prefix, threads, duplicateGoal),
                        Stream.of(order(prefix, threads), order(prefix, 1)))
                .flatMap(paths -> paths)
                .toList();
    }

    private Stream<Row> newKeys(String prefix, int threads) {
        Side bare = Side.all(this::insert);
        Side byHand = Side.all(this::lookUpThenInsert);
        Side ours = Side.all(this::insertFirst);
        return Stream.of(
                Row.of(prefix + "insert-first, new key, to INSERT", threads, bare, ours)
                        .goal(Goal.ratio(0.95))
                        .known("0.89 / 0.89; look-up first 0.60 / 0.71"),
                Row.of(prefix + "look-up then INSERT, new key, to INSERT", threads, bare, byHand),
                Row.of(prefix + "insert-first, new key, to look-up then INSERT", threads, byHand, ours));
    }

    private Stream<Row> duplicates(String prefix, int threads, double duplicateGoal) {
        return Stream.of(
                Row.of(prefix + "insert-first, duplicate, to SELECT", threads, this::select, this::insertFirstAgain)
                        .goal(Goal.ratio(duplicateGoal))
                        .known("1.02 MariaDB, 0.71 PostgreSQL in one statement"),
                Row.of(
                                prefix + "INSERT, catch, SELECT, duplicate, to SELECT",
                                threads,
                                this::select,
                                this::insertCatchSelect)
                        .known("0.26 MariaDB, 0.31 PostgreSQL"));
    }

    /** Where the order itself is what may be there once: no record beside it. */
    private Row order(String prefix, int threads) {
        return Row.of(
                prefix + "order inserted first in the transaction, to unguarded",
                threads,
                Side.all(this::unguarded),
                Side.all(this::orderFirst));
    }

    private void unguarded() throws SQLException {
        try (Connection connection = transactions.getConnection()) {
            sql.business(connection, Keys.next());
            connection.commit();
        }
    }

    private void orderFirst() throws SQLException {
        int stock = BareSql.anyStock();
        Map<String, Object> order =
                Map.of("request_id", Keys.next(), "session_id", stock, "quantity", 2, "status", "PENDING_PAYMENT");
        try (Connection connection = transactions.getConnection()) {
            require(orders.insert(connection, order, row -> row.getLong("id")).first());
            sql.take(connection, stock);
            connection.commit();
        }
    }

    private void insertFirst() throws SQLException {
        require(insertFirst(Keys.next(), Hand.NONE).first());
    }

    private Body insertFirstAgain(int thread) throws SQLException {
        List<String> keys = known();
        return () -> {
            Inserted<byte[]> found = insertFirst(Keys.any(keys), Orders.RESULT_BYTES);
            require(!found.first() && found.row().length == Orders.RESULT_BYTES.length);
        };
    }

    private Inserted<byte[]> insertFirst(String key, byte[] result) throws SQLException {
        return rows.insert(
                source,
                Map.of("id", id(key), "operation", Orders.NAME, "result", result),
                row -> row.getBytes("result"));
    }

    private static void require(boolean asWanted) {
        if (!asWanted) {
            throw new IllegalStateException("Insert-first took a new key for a duplicate, or the other way round");
        }
    }

    private void insert() throws SQLException {
        try (Connection connection = source.getConnection()) {
            sql.insert(connection, id(Keys.next()), Hand.NONE);
        }
    }

    /** What many write. Two that ask at once both find nothing. */
    private void lookUpThenInsert() throws SQLException {
        byte[] id = id(Keys.next());
        try (Connection connection = source.getConnection()) {
            if (sql.isThere(connection, id)) {
                throw new IllegalStateException("A new key was there");
            }
            sql.insert(connection, id, Hand.NONE);
        }
    }

    private Body select(int thread) throws SQLException {
        List<String> keys = known();
        return () -> {
            try (Connection connection = source.getConnection()) {
                sql.select(connection, id(Keys.any(keys)));
            }
        };
    }

    private Body insertCatchSelect(int thread) throws SQLException {
        List<String> keys = known();
        return () -> {
            byte[] id = id(Keys.any(keys));
            try (Connection connection = source.getConnection()) {
                try {
                    sql.insert(connection, id, Orders.RESULT_BYTES);
                } catch (SQLException e) {
                    if (e.getSQLState() == null || !e.getSQLState().startsWith("23")) {
                        throw e;
                    }
                    sql.select(connection, id);
                    return;
                }
            }
            throw new IllegalStateException("A duplicate was inserted");
        };
    }

    private synchronized List<String> known() throws SQLException {
        if (known.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < prefilled; i++) {
                String key = Keys.next();
                try (Connection connection = source.getConnection()) {
                    sql.insert(connection, id(key), Orders.RESULT_BYTES);
                }
                keys.add(key);
            }
            known = keys;
        }
        return known;
    }

    synchronized void forgetKnown() {
        known = List.of();
    }

    private static byte[] id(String value) {
        return Orders.id(value).toBytes();
    }
}
