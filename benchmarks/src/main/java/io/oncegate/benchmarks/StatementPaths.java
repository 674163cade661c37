package io.oncegate.benchmarks;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimAnswer.Replay;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.jdbc.JdbcRecordStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Claimed mode on a database against single statements: both in auto-commit, where either is one round trip.
 * Thread-safe.
 */
final class StatementPaths implements AutoCloseable {
    private final BareSql sql;
    private final DataSource source;
    private final JdbcRecordStore store;
    private final Oncegate engine;
    private final int prefilled;
    private List<String> settled = List.of();

    StatementPaths(BareSql sql, DataSource source, int prefilled) {
        this.sql = sql;
        this.source = source;
        this.store = JdbcRecordStore.of(source);
        this.engine = Oncegate.claimed(store).build();
        this.prefilled = prefilled;
    }

    /**
     * The rows.
     *
     * @param duplicateGoal the goal of a duplicate, which differs from database to database
     */
    List<Row> rows(String prefix, int threads, double duplicateGoal) {
        return List.of(
                Row.of(
                                prefix + "insert-first, new key, store to INSERT",
                                threads,
                                Side.all(this::insert),
                                Side.all(this::claim))
                        .goal(Goal.ratio(0.95))
                        .known("0.89 / 0.89; look-up first 0.60 / 0.71"),
                Row.of(
                        prefix + "claim + settle with 300 B, engine to INSERT + UPDATE",
                        threads,
                        Side.all(this::insertAndUpdate),
                        Side.all(this::call)),
                Row.of(prefix + "insert-first, duplicate, store to SELECT", threads, this::select, this::replay)
                        .goal(Goal.ratio(duplicateGoal))
                        .known("1.02 MariaDB, 0.71 PostgreSQL in one statement; Camel 0.32 / 0.45, Spring Integration"
                                + " 0.21 / 0.29"),
                Row.of(prefix + "insert-first, duplicate, engine to SELECT", threads, this::select, this::replayCall)
                        .goal(Goal.ratio(duplicateGoal)));
    }

    private void insert() throws SQLException {
        insert(Keys.next(), Hand.NONE);
    }

    private void insert(String value, byte[] result) throws SQLException {
        try (Connection connection = source.getConnection()) {
            sql.insert(connection, id(value), result);
        }
    }

    private void insertAndUpdate() throws SQLException {
        String request = Keys.next();
        try (Connection connection = source.getConnection()) {
            sql.guard(connection, BareSql.GUARD, request, Hand.fingerprint(), Hand.NONE);
        }
        try (Connection connection = source.getConnection()) {
            sql.guardResult(connection, request);
        }
    }

    private void claim() {
        Orders.expect(Granted.class, store.claim(Orders.request(Keys.next())));
    }

    private void call() {
        Orders.expect(
                Outcome.Executed.class,
                engine.run(Orders.call(Orders.WITH_RESULT, Keys.next()), claim -> Orders.RESULT));
    }

    private Body select(int thread) throws SQLException {
        List<String> keys = settled();
        return () -> {
            try (Connection connection = source.getConnection()) {
                sql.select(connection, id(Keys.any(keys)));
            }
        };
    }

    private Body replay(int thread) throws SQLException {
        List<String> keys = settled();
        return () -> Orders.expect(Replay.class, store.claim(Orders.request(Keys.any(keys))));
    }

    private Body replayCall(int thread) throws SQLException {
        List<String> keys = settled();
        return () -> Orders.expect(
                Outcome.Replayed.class,
                engine.run(Orders.call(Orders.WITH_RESULT, "call-" + Keys.any(keys)), claim -> "not run"));
    }

    private synchronized List<String> settled() throws SQLException {
        if (settled.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < prefilled; i++) {
                String key = Keys.next();
                insert(key, Orders.RESULT_BYTES);
                ClaimRequest request = Orders.request(key);
                Granted granted = Orders.expect(Granted.class, store.claim(request));
                ClaimRef claim = new ClaimRef(request.id(), granted.fence(), request.attempt());
                if (store.settle(claim, Orders.SETTLED) != HolderAnswer.DONE) {
                    throw new IllegalStateException("Not settled");
                }
                engine.run(Orders.call(Orders.WITH_RESULT, "call-" + key), ignored -> Orders.RESULT);
                keys.add(key);
            }
            settled = keys;
        }
        return settled;
    }

    /** The bare rows get ids of the same form as ours, so that both grow their index alike. */
    private static byte[] id(String value) {
        return Orders.id(value).toBytes();
    }

    synchronized void forgetSettled() {
        settled = List.of();
    }

    @Override
    public void close() {
        engine.close();
    }
}
