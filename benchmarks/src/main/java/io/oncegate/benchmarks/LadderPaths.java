package io.oncegate.benchmarks;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.oncegate.caffeine.CachedRecordStore;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The ladder of Redis and a database, beside what it is made of: a bare GET, the unguarded transaction, and same-transaction
 * mode without Redis. Auto-commit is off; one connection to Redis for all threads. Thread-safe.
 */
final class LadderPaths implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final BareSql sql;
    private final DataSource source;
    private final Oncegate ladder;
    private final Oncegate cached;
    private final Oncegate judge;
    private final int prefilled;
    private List<String> settled = List.of();

    LadderPaths(StatefulRedisConnection<byte[], byte[]> connection, BareSql sql, DataSource source, int prefilled) {
        this.connection = connection;
        this.commands = connection.async();
        this.sql = sql;
        this.source = source;
        this.prefilled = prefilled;
        RedisRecordStore fast = new RedisRecordStore(
                RedisBackend.of(connection, RedisOptions.defaults().withTimeout(TIMEOUT)));
        JdbcTransactionalRecordStore store = JdbcTransactionalRecordStore.of(source);
        this.ladder = Oncegate.ladder(fast, store).build();
        this.cached = Oncegate.ladder(CachedRecordStore.of(fast), store).build();
        this.judge = Oncegate.sameTransaction(store).build();
    }

    List<Row> rows(String prefix, int threads) {
        return List.of(
                Row.of(prefix + "replay to GET", threads, this::get, replays(ladder))
                        .goal(Goal.ratio(0.95)),
                Row.of(prefix + "replay with near cache to GET", threads, this::get, cachedReplays()),
                Row.of(
                        prefix + "replay to a replay in same-transaction mode",
                        threads,
                        replays(judge),
                        replays(ladder)),
                first(prefix + "first run with 300 B result to unguarded", threads, this::unguarded),
                first(prefix + "first run with 300 B result to unguarded", 1, this::unguarded),
                first(prefix + "first run with 300 B result to same-transaction mode", threads, () -> run(judge)));
    }

    private Row first(String path, int threads, Body bare) {
        return Row.of(path, threads, Side.all(bare), Side.all(() -> run(ladder)));
    }

    private Body get(int thread) throws Exception {
        List<String> keys = settled();
        return () -> {
            if (await(commands.get(bareKey(Keys.any(keys)))).length != Orders.RESULT_BYTES.length) {
                throw new IllegalStateException("Another value");
            }
        };
    }

    private Side replays(Oncegate engine) {
        return thread -> {
            List<String> keys = settled();
            return () -> Orders.expect(
                    Outcome.Replayed.class,
                    engine.run(Orders.call(Orders.WITH_RESULT, Keys.any(keys)), claim -> "not run"));
        };
    }

    /** All keys are in the cache when it begins; later each is asked for again when its longest staleness is over. */
    private Side cachedReplays() {
        Side side = replays(cached);
        return thread -> {
            for (String key : settled()) {
                cached.run(Orders.call(Orders.WITH_RESULT, key), claim -> "not run");
            }
            return side.of(thread);
        };
    }

    private void unguarded() throws SQLException {
        try (Connection transaction = source.getConnection()) {
            sql.business(transaction, Keys.next());
            transaction.commit();
        }
    }

    private void run(Oncegate engine) throws SQLException {
        run(engine, Keys.next());
    }

    private void run(Oncegate engine, String key) throws SQLException {
        Orders.expect(
                Outcome.Executed.class,
                engine.<String, SQLException>run(Orders.call(Orders.WITH_RESULT, key), claim -> {
                    sql.business(Objects.requireNonNull(claim.unwrap(Connection.class)), key);
                    return Orders.RESULT;
                }));
    }

    private synchronized List<String> settled() throws Exception {
        if (settled.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < prefilled; i++) {
                String key = Keys.next();
                await(commands.set(bareKey(key), Orders.RESULT_BYTES, SetArgs.Builder.px(Orders.DAY)));
                run(ladder, key);
                keys.add(key);
            }
            settled = keys;
        }
        return settled;
    }

    private static <T> T await(Future<T> answer) throws Exception {
        return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static byte[] bareKey(String value) {
        return ("bare:" + value).getBytes(StandardCharsets.US_ASCII);
    }

    synchronized void forgetSettled() throws Exception {
        settled = List.of();
        await(commands.flushdb());
    }

    @Override
    public void close() {
        ladder.close();
        cached.close();
        judge.close();
        connection.close();
    }
}
