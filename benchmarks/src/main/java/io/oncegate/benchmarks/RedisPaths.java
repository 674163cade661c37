package io.oncegate.benchmarks;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimAnswer.Replay;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What is done on Redis: bare and guarded, all of it on one connection that all threads share, by Lettuce's asynchronous
 * commands and a bounded wait. Thread-safe.
 */
final class RedisPaths implements AutoCloseable {
    /** Generous: on a machine that is busy otherwise a row should be slow, not fail. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final byte[] RUNNING = new byte[16];
    private static final SetArgs FOR_LEASE = SetArgs.Builder.px(Orders.LEASE);
    private static final SetArgs FOR_RETENTION = SetArgs.Builder.px(Orders.DAY);

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final RedisRecordStore store;
    private final Oncegate engine;
    private final int prefilled;
    private List<String> settled = List.of();

    RedisPaths(StatefulRedisConnection<byte[], byte[]> connection, int prefilled) {
        this.connection = connection;
        this.commands = connection.async();
        this.store = new RedisRecordStore(
                RedisBackend.of(connection, RedisOptions.defaults().withTimeout(TIMEOUT)));
        this.engine = Oncegate.claimed(store).build();
        this.prefilled = prefilled;
    }

    List<Row> rows(int threads) {
        return List.of(
                Row.of("Redis, noise: GET to itself", threads, this::get, this::get),
                Row.of(
                                "Redis, store: first run to two SETs",
                                threads,
                                Side.all(this::twoSets),
                                Side.all(this::firstRun))
                        .goal(new Goal(0.85, 1.25, 4))
                        .known("0.77 script over HMGET, 0.70 HGETALL; peers keep no results: Spring Integration 0.87,"
                                + " ShedLock 0.91, Redisson bucket 0.54, RLock 0.31, lock4j 0.19"),
                Row.of(
                                "Redis, engine: first call to two SETs",
                                threads,
                                Side.all(this::twoSets),
                                Side.all(this::firstCall))
                        .goal(new Goal(0.85, 1.25, 4)),
                Row.of("Redis, store: replay to GET", threads, this::get, this::replay)
                        .goal(Goal.ratio(0.95))
                        .known("0.86 script, 0.99 SET NX GET (Redis 7)"),
                Row.of("Redis, engine: replay to GET", threads, this::get, this::replayCall)
                        .goal(Goal.ratio(0.95)));
    }

    private <T> T await(Future<T> answer) throws Exception {
        return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void twoSets() throws Exception {
        byte[] key = bareKey(Keys.next());
        await(commands.set(key, RUNNING, FOR_LEASE));
        await(commands.set(key, Orders.RESULT_BYTES, FOR_RETENTION));
    }

    private void firstRun() {
        firstRun(Keys.next());
    }

    private void firstRun(String value) {
        ClaimRequest request = Orders.request(value);
        Granted granted = Orders.expect(Granted.class, store.claim(request));
        ClaimRef claim = new ClaimRef(request.id(), granted.fence(), request.attempt());
        if (store.settle(claim, Orders.SETTLED) != HolderAnswer.DONE) {
            throw new IllegalStateException("Not settled");
        }
    }

    private void firstCall() {
        firstCall(Keys.next());
    }

    private void firstCall(String value) {
        Orders.expect(
                Outcome.Executed.class, engine.run(Orders.call(Orders.WITH_RESULT, value), claim -> Orders.RESULT));
    }

    private Body get(int thread) throws Exception {
        List<String> keys = settled();
        return () -> {
            if (await(commands.get(bareKey(Keys.any(keys)))).length != Orders.RESULT_BYTES.length) {
                throw new IllegalStateException("Another value");
            }
        };
    }

    private Body replay(int thread) throws Exception {
        List<String> keys = settled();
        return () -> Orders.expect(Replay.class, store.claim(Orders.request("store-" + Keys.any(keys))));
    }

    private Body replayCall(int thread) throws Exception {
        List<String> keys = settled();
        return () -> Orders.expect(
                Outcome.Replayed.class,
                engine.run(Orders.call(Orders.WITH_RESULT, "call-" + Keys.any(keys)), claim -> "not run"));
    }

    private synchronized List<String> settled() throws Exception {
        if (settled.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < prefilled; i++) {
                String key = Keys.next();
                await(commands.set(bareKey(key), Orders.RESULT_BYTES, FOR_RETENTION));
                firstRun("store-" + key);
                firstCall("call-" + key);
                keys.add(key);
            }
            settled = keys;
        }
        return settled;
    }

    private static byte[] bareKey(String value) {
        return ("bare:" + value).getBytes(StandardCharsets.US_ASCII);
    }

    synchronized void clean() throws Exception {
        settled = List.of();
        await(commands.flushdb());
    }

    @Override
    public void close() {
        engine.close();
        connection.close();
    }
}
