package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts against the pure state machine, step by step on random histories. Only the clock is exchanged: the scripts
 * read it from a key, so that every microsecond can be reached and both sides see the same one.
 */
class RedisOracleIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int HISTORIES = Integer.getInteger("oncegate.redis.histories", 400);
    private static final int STEPS = 40;
    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;
    private static final long MARGIN = RecordMachine.micros(RedisOptions.DEFAULT_PURGE_MARGIN);
    private static final long START = 1_700_000_000_123_456L;

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private StatefulRedisConnection<byte[], byte[]> clock;
    private RedisRecordStore store;

    @BeforeEach
    void connect() {
        clock = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE);
        RedisBackend backend = handles.backend(server.uri(), Handles.OPTIONS);
        store = new RedisRecordStore(
                backend,
                name -> RedisScript.of(RedisScript.text(name, backend.options())
                        .replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'u')")));
    }

    @Test
    void decidesAsTheStateMachine() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            new History(seed).run();
        }
    }

    private final class History {
        private final int seed;
        private final Random random;
        private final Intent intent;
        private final List<AttemptId> attempts = List.of(AttemptId.random(), AttemptId.random(), AttemptId.random());
        private final List<ClaimRef> refs = new ArrayList<>();
        private final List<String> log = new ArrayList<>();
        private long now;
        private @Nullable StoredRecord model;

        History(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.intent = Intent.of("history " + seed);
            this.now = START + random.nextInt(1_000_000);
        }

        void run() {
            refs.add(new ClaimRef(intent.id(), now, attempts.get(0)));
            for (int step = 0; step < STEPS; step++) {
                moveClock();
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> claim();
                    case 4 -> renew();
                    case 5, 6, 7 -> settle();
                    case 8 -> release();
                    default -> forget();
                }
                look();
            }
        }

        private void moveClock() {
            // the moments at which an answer changes, just before, at and after them
            StoredRecord record = model;
            int choice = random.nextInt(8);
            if (record != null && choice < 3) {
                long edge = choice == 0 ? record.leaseEnd() : choice == 1 ? record.expiresAt() : record.resultUntil();
                if (edge != 0 && edge != StoredRecord.NEVER && Math.abs(edge - now) < 40 * HOUR) {
                    now = edge - 1 + random.nextInt(3);
                }
            } else if (choice == 3) {
                now -= random.nextInt(1_000);
            } else if (choice == 4) {
                now += random.nextLong(HOUR);
            } else {
                now += random.nextInt(3);
            }
            clock.sync()
                    .hset(
                            bytes("clock"),
                            Map.of(
                                    bytes("s"), bytes(Long.toString(now / 1_000_000)),
                                    bytes("u"), bytes(Long.toString(now % 1_000_000))));
        }

        private void claim() {
            ClaimRequest request = new ClaimRequest(
                    intent.id(),
                    Intent.OPERATION,
                    Fingerprint.of("amount " + (random.nextInt(8) == 0 ? 99 : 10)),
                    any(attempts),
                    hours(2),
                    hours(4),
                    any(List.of(0, 0, 1, 2, Integer.MAX_VALUE)),
                    birth());
            Decision<?> decision = RecordMachine.claim(model, request, now);
            same(request, decision, store.claim(request));
            if (model != null && model.leased(now)) {
                refs.add(new ClaimRef(intent.id(), model.fence(), model.attempt()));
            }
        }

        private @Nullable BirthRule birth() {
            if (random.nextInt(4) != 0) {
                return null;
            }
            Instant born = Instant.ofEpochMilli(now / 1_000 + random.nextInt(9) - 4);
            return new BirthRule(born, Duration.ofMillis(1 + random.nextInt(3)), Duration.ofMillis(random.nextInt(3)));
        }

        private void renew() {
            ClaimRef ref = any(refs);
            Duration lease = hours(2);
            same("renew " + ref, RecordMachine.renew(model, ref, lease, now), store.renew(ref, lease));
        }

        private void settle() {
            ClaimRef ref = any(refs);
            Duration retention = hours(4);
            Duration resultRetention = random.nextBoolean() ? retention : retention.dividedBy(2);
            RecordState state = any(
                    List.of(RecordState.SUCCEEDED, RecordState.SUCCEEDED, RecordState.REFUSED, RecordState.UNKNOWN));
            Settlement settlement = state == RecordState.UNKNOWN
                    ? Settlement.unknown(retention, random.nextBoolean() ? Duration.ZERO : resultRetention)
                    : new Settlement(
                            state,
                            random.nextInt(4) == 0 ? null : Intent.payload(any(List.of("", "done", "won"))),
                            retention,
                            resultRetention);
            same(
                    "settle " + ref + settlement,
                    RecordMachine.settle(model, ref, settlement, now),
                    store.settle(ref, settlement));
        }

        private void release() {
            ClaimRef ref = any(refs);
            same("release " + ref, RecordMachine.release(model, ref, now), store.release(ref));
        }

        private void forget() {
            if (random.nextInt(4) == 0) {
                same("forget", RecordMachine.forget(model, now), store.forget(intent.id()));
            }
        }

        private void look() {
            StoredRecord record = model;
            Optional<RecordBrowser.Entry> entry = record == null
                    ? Optional.empty()
                    : Optional.of(RecordBrowser.Entry.of(intent.id(), asSeen(record)));
            assertThat(store.find(intent.id())).as("seed %d %s", seed, log).isEqualTo(entry);
        }

        /** Redis shows a result as gone as soon as it may not be replayed. */
        private StoredRecord asSeen(StoredRecord record) {
            return record.state().settled() && record.resultAt(now) == null ? withoutResult(record) : record;
        }

        private static StoredRecord withoutResult(StoredRecord record) {
            return new StoredRecord(
                    record.operation(),
                    record.state(),
                    record.fence(),
                    record.attempt(),
                    record.fingerprint(),
                    record.leaseEnd(),
                    record.retention(),
                    record.expiresAt(),
                    null,
                    0);
        }

        private void same(Object asked, Decision<?> decision, Object answer) {
            log.add(now + " " + asked + " -> " + decision.answer());
            assertThat(answer).as("seed %d %s", seed, log).isEqualTo(decision.answer());
            StoredRecord record = decision.record();
            if (record != null && !record.equals(model) && RecordMachine.purgeableAt(record, MARGIN) <= now) {
                // due at once: Redis drops it within milliseconds
                Await.until("gone", PATIENCE, () -> store.find(intent.id()).isEmpty());
                record = null;
            }
            model = record;
        }

        private Duration hours(int max) {
            return Duration.of(HOUR + random.nextLong(max * HOUR), ChronoUnit.MICROS);
        }

        private <T> T any(List<T> list) {
            return list.get(random.nextInt(list.size()));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }
}
