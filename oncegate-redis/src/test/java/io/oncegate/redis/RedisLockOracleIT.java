package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts of locks against the pure state machine, as they are and with each of their guards broken. */
class RedisLockOracleIT {
    private static final int HISTORIES = Integer.getInteger("oncegate.redis.histories", 200);

    @AutoClose
    private static final RedisServer server = RedisServers.own();

    @AutoClose
    private static final Handles handles = new Handles();

    private static RedisCommands<byte[], byte[]> redis;
    private static RedisBackend backend;

    @BeforeAll
    static void connect() {
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        backend = handles.backend(server.uri(), Handles.OPTIONS);
    }

    @Test
    void decidesAsTheStateMachine() {
        RedisLockStore store = new RedisLockStore(backend, LockHistory.scripts(backend.options(), text -> text));
        for (int seed = 0; seed < HISTORIES; seed++) {
            new LockHistory(store, redis, seed).run();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lock-acquire | now < lastLease and string.sub    | string.sub
            lock-acquire | and string.sub(lock, 27, 42) == ARGV[1] then | and false then
            lock-acquire | and string.sub(lock, 27, 42) == ARGV[1] then | then
            lock-acquire | math.max(lastLease, lastWindow)   | lastLease
            lock-acquire | math.max(lastLease, lastWindow)   | lastWindow
            lock-acquire | if now < heldUntil then           | if now <= heldUntil then
            lock-acquire | if now < heldUntil and lastLease == 0 then | if now < heldUntil then
            lock-acquire | if now < heldUntil and lastLease == 0 then | if lastLease == 0 then
            lock-acquire | since ~= 0 and now                | now
            lock-acquire | and now < resultUntil and         | and
            lock-acquire | and struct.unpack('>i8', kept) >= since then | then
            lock-acquire | kept = string.sub(lock, 43)       | kept = ''
            lock-acquire | math.max(last + 1, now)           | now
            lock-acquire | math.max(leaseEnd, windowEnd, resultUntil, fence | math.max(leaseEnd, windowEnd, fence
            lock-acquire | math.max(now, leaseEnd, lastWindow, resultUntil, last | math.max(now, leaseEnd, resultUntil, last
            lock-renew   | string.sub(lock, 19, 42) ~= ARGV[1] | string.sub(lock, 19, 26) ~= string.sub(ARGV[1], 1, 8)
            lock-renew   | string.sub(lock, 19, 42) ~= ARGV[1] | string.sub(lock, 27, 42) ~= string.sub(ARGV[1], 9)
            lock-renew   | if now >= leaseEnd then           | if leaseEnd == 0 then
            lock-renew   | if now >= leaseEnd then           | if now > leaseEnd then
            lock-renew   | math.max(now, leaseEnd, windowEnd, resultUntil | math.max(now, windowEnd, resultUntil
            lock-end     | string.sub(lock, 19, 42) ~= ARGV[1] | string.sub(lock, 19, 26) ~= string.sub(ARGV[1], 1, 8)
            lock-end     | string.sub(lock, 19, 42) ~= ARGV[1] | string.sub(lock, 27, 42) ~= string.sub(ARGV[1], 9)
            lock-end     | if leaseEnd == 0 then             | if false then
            lock-end     | if now >= leaseEnd then           | if false then
            lock-end     | math.max(now, windowEnd, now + ARGV[4]) | now + ARGV[4]
            lock-end     | math.max(resultUntil, fence       | math.max(fence
            lock-end     | math.max(windowEnd, resultUntil, fence | math.max(windowEnd, fence
            lock-end     | math.max(windowEnd, resultUntil, fence | math.max(resultUntil, fence
            lock-pass    | if now >= leaseEnd then           | if leaseEnd == 0 then
            lock-pass    | string.sub(lock, 19, 42) ~= ARGV[1] | false
            lock-pass    | and last > struct.unpack('>i8', ARGV[1]) then | then
            lock-pass    | string.sub(lock, 27, 42) == ARGV[2] and | false and
            lock-pass    | if now < windowEnd then           | if false then
            lock-pass    | math.max(last + 1, now)           | now
            lock-pass    | kept = string.sub(lock, 43)       | kept = ''
            """)
    void withAGuardBrokenItDecidesOtherwise(String script, String guard, String broken) {
        AtomicBoolean found = new AtomicBoolean();
        RedisLockStore store = new RedisLockStore(
                backend,
                name -> LockHistory.scripts(backend.options(), text -> {
                            found.compareAndSet(false, name.equals(script) && text.contains(guard));
                            return name.equals(script) ? text.replace(guard, broken) : text;
                        })
                        .apply(name));
        assertThat(found).as("the guard is in the script").isTrue();
        assertThat(IntStream.range(0, HISTORIES).anyMatch(seed -> differs(store, seed)))
                .isTrue();
    }

    private boolean differs(RedisLockStore store, int seed) {
        try {
            new LockHistory(store, redis, seed).run();
            return false;
        } catch (AssertionError | StoreUnavailableException different) {
            return true;
        }
    }
}
