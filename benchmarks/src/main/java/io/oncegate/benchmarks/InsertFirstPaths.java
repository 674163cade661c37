package io.oncegate.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Insert-first of a row of one's own, and the two ways in which it is usually written by hand, against single statements:
 * in auto-commit, where one statement is one round trip. Thread-safe.
 */
final class InsertFirstPaths {
    private final BareSql sql;
    private final DataSource source;
    private final int prefilled;
    private List<String> known = List.of();

    InsertFirstPaths(BareSql sql, DataSource source, int prefilled) {
        this.sql = sql;
        this.source = source;
        this.prefilled = prefilled;
    }

    /**
     * The rows.
     *
     * @param duplicateGoal the goal of a duplicate, which differs from database to database
     */
    List<Row> rows(String prefix, int threads, double duplicateGoal) {
        return Stream.concat(newKeys(prefix, threads), duplicates(prefix, threads, duplicateGoal))
                .toList();
    }

    private Stream<Row> newKeys(String prefix, int threads) {
        Side bare = Side.all(this::insert);
        return Stream.of(Row.of(
                prefix + "look-up then INSERT, new key, to INSERT", threads, bare, Side.all(this::lookUpThenInsert)));
    }

    private Stream<Row> duplicates(String prefix, int threads, double duplicateGoal) {
        return Stream.of(Row.of(
                        prefix + "INSERT, catch, SELECT, duplicate, to SELECT",
                        threads,
                        this::select,
                        this::insertCatchSelect)
                .goal(Goal.ratio(duplicateGoal)));
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
                sql.select(connection, id(any(keys)));
            }
        };
    }

    private Body insertCatchSelect(int thread) throws SQLException {
        List<String> keys = known();
        return () -> {
            byte[] id = id(any(keys));
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

    private static String any(List<String> keys) {
        return keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
    }
}
