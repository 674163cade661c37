package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one lock, asked step by step of the scripts and of the pure state machine: the answers, the bytes and
 * the time to live have to agree. Only the clock is exchanged: the scripts read it from a key, so that every microsecond can
 * be reached.
 */
final class LockHistory {
    private static final int STEPS = 40;
    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;
    private static final long MARGIN = RecordMachine.micros(RedisOptions.DEFAULT_PURGE_MARGIN);
    private static final long START = 1_700_000_000_123_456L;
    private static final LockFormat FORMAT = new LockFormat(Handles.OPTIONS.prefix());

    private final RedisLockStore store;
    private final RedisCommands<byte[], byte[]> redis;
    private final int seed;
    private final Random random;
    private final RecordId id;
    private final List<AttemptId> attempts = List.of(AttemptId.random(), AttemptId.random(), AttemptId.random());
    private final List<ClaimRef> refs = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private long now;
    private @Nullable LockRow model;

    LockHistory(RedisLockStore store, RedisCommands<byte[], byte[]> redis, int seed) {
        this.store = store;
        this.redis = redis;
        this.seed = seed;
        this.random = new Random(seed);
        this.id = OperationKey.of("history", Scope.of("t"), seed + " " + AttemptId.random())
                .id();
        this.now = START + random.nextInt(1_000_000);
    }

    /** Scripts that read the clock which histories move. */
    static Function<String, RedisScript> scripts(RedisOptions options, Function<String, String> change) {
        return name -> RedisScript.of(change.apply(RedisScript.text(name, options))
                .replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'u')"));
    }

    void run() {
        refs.add(new ClaimRef(id, now, attempts.get(0)));
        for (int step = 0; step < STEPS; step++) {
            moveClock();
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> acquire();
                case 4, 5 -> renew();
                case 6, 7, 8 -> end();
                default -> pass();
            }
            look();
        }
    }

    private void moveClock() {
        // the moments at which an answer changes, just before, at and after them
        LockRow row = model;
        int choice = random.nextInt(8);
        if (row != null && choice < 3) {
            long edge = choice == 0 ? row.leaseEnd() : choice == 1 ? row.windowEnd() : row.resultUntil();
            if (edge > now - 1_000) {
                now = edge - 1 + random.nextInt(3);
            }
        } else if (choice == 3) {
            now -= random.nextInt(1_000);
        } else if (choice == 4) {
            now += random.nextLong(HOUR / 2);
        } else {
            now += random.nextInt(3);
        }
        redis.hset(
                bytes("clock"),
                Map.of(
                        bytes("s"), bytes(Long.toString(now / 1_000_000)),
                        bytes("u"), bytes(Long.toString(now % 1_000_000))));
    }

    private LockRequest request(AttemptId attempt) {
        LockRow row = model;
        long met = random.nextInt(3) == 0 ? 0 : row == null ? now : row.fence() - random.nextInt(2) + random.nextInt(2);
        return new LockRequest(
                id,
                "history",
                attempt,
                hours(),
                random.nextInt(3) == 0 ? hours() : null,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                met);
    }

    private void acquire() {
        LockRequest request = request(any(attempts));
        same(request, LockMachine.acquire(model, request, now), store.acquire(request));
        remember();
    }

    private void renew() {
        ClaimRef ref = any();
        Duration lease = hours();
        same("renew " + ref, LockMachine.renew(model, ref, lease, now), store.renew(ref, lease));
    }

    private void end() {
        ClaimRef ref = any();
        boolean completed = random.nextBoolean();
        Payload result = completed && random.nextBoolean()
                ? Payload.of(bytes(any(List.of("", "done", "result " + random.nextInt(9)))))
                : null;
        LockEnd end = new LockEnd(completed, result, hours());
        same("end " + ref + end, LockMachine.end(model, ref, end, now), store.end(ref, end));
    }

    private void pass() {
        ClaimRef ref = any();
        LockRequest next = request(any(attempts));
        same("pass " + ref + " to " + next, LockMachine.pass(model, ref, next, now), store.pass(ref, next));
        remember();
    }

    private void remember() {
        LockRow row = model;
        if (row != null && !row.ended()) {
            ClaimRef ref = new ClaimRef(id, row.fence(), row.attempt());
            if (!refs.contains(ref)) {
                refs.add(ref);
            }
        }
    }

    /** The bytes in Redis are the model's, and last long enough. */
    private void look() {
        byte[] key = FORMAT.lockKey(id);
        byte[] value = redis.get(key);
        LockRow row = model;
        if (row == null) {
            assertThat(value).as("seed %d %s", seed, log).isNull();
            return;
        }
        assertThat(value).as("seed %d %s", seed, log).isNotNull();
        ByteBuffer bytes = ByteBuffer.wrap(value);
        assertThat(List.of(value[0], bytes.getLong(2), bytes.getLong(10), bytes.getLong(18)))
                .as("seed %d %s", seed, log)
                .isEqualTo(List.of((byte) 1, row.leaseEnd(), row.windowEnd(), row.fence()));
        assertThat(new AttemptId(bytes.getLong(26), bytes.getLong(34))).isEqualTo(row.attempt());
        assertThat(value.length > 42 ? List.of(bytes.getLong(42), bytes.getLong(50)) : List.of(0L, 0L))
                .as("seed %d %s", seed, log)
                .isEqualTo(List.of(row.resultFence(), row.resultUntil()));
        long needed = Math.max(Math.max(row.heldUntil(), row.resultUntil()), row.fence() + MARGIN);
        // hours, so that some seconds of a slow test do not matter
        assertThat(redis.pttl(key))
                .as("seed %d, time to live after %s", seed, log)
                .isGreaterThan((needed - now) / 1_000 - 60_000);
    }

    private void same(Object asked, Decision<?> decision, Object answer) {
        log.add(now + " " + asked + " -> " + decision.answer());
        assertThat(answer).as("seed %d %s", seed, log).isEqualTo(decision.answer());
        model = decision.row();
    }

    private Duration hours() {
        return Duration.of(HOUR + random.nextLong(HOUR), ChronoUnit.MICROS);
    }

    /** Mostly the latest holder. */
    private ClaimRef any() {
        ClaimRef ref = random.nextInt(3) == 0 ? any(refs) : refs.get(refs.size() - 1);
        return random.nextInt(8) == 0 ? new ClaimRef(id, ref.fence(), any(attempts)) : ref;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
