package io.oncegate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.redis.RedisOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Locks on Redis: the bare commands, and ours, on one connection that all threads share. Thread-safe. */
final class RedisLockPaths implements AutoCloseable {
    /** Generous: on a machine that is busy otherwise a row should be slow, not fail. */
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final Duration WAIT = Duration.ofSeconds(60);

    private static final LockOptions OPTIONS = LockOptions.untilDone();
    private static final SetArgs FOR_LEASE = SetArgs.Builder.nx().px(OPTIONS.lease());
    private static final LockEnd COMPLETED = new LockEnd(true, null, Duration.ofSeconds(10));
    private static final OperationKey HOT = new Cycle(0).key();

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final RedisBackend backend;
    private final RedisLockStore store;
    private final Locks locks;
    private final RedisBackend secondBackend;
    private final Locks second;

    RedisLockPaths(RedisClient client, RedisURI uri) {
        RedisOptions options = RedisOptions.defaults().withTimeout(TIMEOUT);
        connection = client.connect(ByteArrayCodec.INSTANCE, uri);
        commands = connection.async();
        backend = RedisBackend.connecting(client, uri, options);
        store = new RedisLockStore(backend);
        locks = LeasedLocks.of(store);
        secondBackend = RedisBackend.connecting(client, uri, options);
        second = LeasedLocks.of(new RedisLockStore(secondBackend));
    }

    List<Row> rows(int threads, RedisLockPeers peers) {
        Side bare = this::setAndDel;
        return List.of(
                Row.of("Redis locks, noise: SET NX + DEL to itself", threads, bare, bare),
                Row.of("Redis locks, store: acquire + release to SET NX + DEL", threads, bare, this::store)
                        .goal(Goal.ratio(0.88)),
                Row.of("Redis locks, engine: acquire + release to SET NX + DEL", threads, bare, this::engine)
                        .goal(Goal.ratio(0.88)),
                Row.of("Redis locks, ShedLock: the same", threads, bare, peers::shedLock)
                        .known("checks no owner when it releases; no fence, no renewal by itself"),
                Row.of("Redis locks, Spring Integration: the same", threads, bare, peers::springIntegration)
                        .known("owner is the process and thread; no fence"),
                Row.of("Redis locks, Redisson RLock: the same", threads, bare, peers::redisson)
                        .known("owner is the process and thread; renewed; no fence"),
                Row.of("Redis locks, lock4j: the same", threads, bare, peers::lock4j)
                        .known("owner by acquisition; no fence"),
                Row.of(
                                "Redis locks, engine: " + threads + " waiters hand one lock on, to Redisson RLock",
                                threads,
                                peers::redissonHot,
                                Side.all(this::hot))
                        .goal(Goal.ratio(3)),
                Row.of(
                        "Redis locks, engine: " + threads
                                + " waiters in two clients hand one lock on, to Redisson RLock",
                        threads,
                        peers::redissonHotInTwo,
                        thread -> thread % 2 == 0 ? this::hot : this::hotInSecond));
    }

    static <T> T await(Future<T> answer) throws Exception {
        return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Body setAndDel(int thread) {
        Cycle cycle = new Cycle(thread);
        byte[] value = new byte[16];
        return () -> {
            byte[] name = ("bare:" + cycle.name()).getBytes(StandardCharsets.US_ASCII);
            if (await(commands.set(name, value, FOR_LEASE)) == null) {
                throw new IllegalStateException("SET NX was refused");
            }
            if (await(commands.del(name)) != 1) {
                throw new IllegalStateException("DEL found nothing");
            }
        };
    }

    private Body store(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            OperationKey key = cycle.key();
            LockRequest request = LockRequest.of(key.id(), key.operation(), OPTIONS.lease(), null);
            LockAnswer.Granted granted = (LockAnswer.Granted) store.acquire(request);
            if (store.end(new ClaimRef(key.id(), granted.fence(), request.attempt()), COMPLETED) != HolderAnswer.DONE) {
                throw new IllegalStateException("the lock was lost");
            }
        };
    }

    private Body engine(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> release(locks.tryAcquire(cycle.key(), OPTIONS).orElseThrow());
    }

    private void hot() throws InterruptedException {
        release(locks.acquire(HOT, OPTIONS, WAIT).orElseThrow());
    }

    private void hotInSecond() throws InterruptedException {
        release(second.acquire(HOT, OPTIONS, WAIT).orElseThrow());
    }

    private static void release(HeldLock lock) {
        if (lock.complete(null) != LockRelease.DONE) {
            throw new IllegalStateException("the lock was lost");
        }
    }

    LongSupplier serverCpu() {
        return RedisGroup.cpu(connection);
    }

    void clean() throws Exception {
        var unused = await(commands.flushall());
    }

    @Override
    public void close() {
        locks.close();
        second.close();
        backend.close();
        secondBackend.close();
        connection.close();
    }
}
