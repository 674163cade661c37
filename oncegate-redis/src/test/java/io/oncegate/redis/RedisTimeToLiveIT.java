package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C20: times to live in Redis")
class RedisTimeToLiveIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration MARGIN = RedisOptions.DEFAULT_PURGE_MARGIN;
    private static final Duration HALF_SECOND = Duration.ofMillis(500);
    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private RedisRecordStore store;
    private RedisCommands<byte[], byte[]> redis;

    @BeforeEach
    void connect() {
        store = handles.store(server.uri());
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
    }

    @Test
    void runningRecordsLastForLeaseAndRetention() {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        assertLasts(intent, Intent.LEASE.plus(Intent.DAY));

        store.renew(claim, Duration.ofHours(1));
        assertLasts(intent, Duration.ofHours(25));
    }

    @Test
    void settledRecordsLastForTheirRetention() {
        Intent intent = Intent.fresh();
        store.settle(intent.grantedAt(store), Intent.success("r", Duration.ofHours(5), Duration.ofHours(5)));
        assertLasts(intent, Duration.ofHours(5));
    }

    @Test
    void releasedAndForgottenRecordsLastForTheMargin() {
        Intent released = Intent.fresh();
        store.release(released.grantedAt(store));
        assertLasts(released, MARGIN);

        Intent forgotten = Intent.fresh();
        store.settle(forgotten.grantedAt(store), Intent.success("r"));
        store.forget(forgotten.id());
        assertLasts(forgotten, MARGIN);
    }

    @Test
    void shortTimesAreHonouredAndTheFenceLastsForTheMargin() {
        for (Duration time : List.of(ONE_MILLI, HALF_SECOND)) {
            Intent running = Intent.fresh().lease(time).retention(Duration.ofHours(1));
            ClaimRef first = running.grantedAt(store);
            Await.until("taken over", PATIENCE, () -> running.askedAt(store) instanceof ClaimAnswer.Granted);
            assertThat(store.settle(first, Intent.success("late"))).isEqualTo(HolderAnswer.LOST);

            Intent settled = Intent.fresh();
            ClaimRef claim = settled.grantedAt(store);
            store.settle(claim, Intent.success("r", time, time));
            assertLasts(settled, MARGIN);
            Await.until("expired", PATIENCE, () -> settled.askedAt(store) instanceof ClaimAnswer.Granted);
        }
    }

    @Test
    void anUnknownOutcomeOutlastsEveryRetention() {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        store.settle(claim, Settlement.unknown(ONE_MILLI, Duration.ZERO));
        assertThat(remaining(intent)).isGreaterThan(Duration.ofDays(100 * 365));

        AttemptId reconciler = AttemptId.random();
        ClaimRequest request = new ClaimRequest(
                intent.id(), Intent.OPERATION, intent.fingerprint(), reconciler, ONE_MILLI, ONE_MILLI, 9, null);
        long fence = ((ClaimAnswer.Reconcile) store.claim(request)).fence();
        assertThat(remaining(intent)).isGreaterThan(Duration.ofDays(100 * 365));
        store.renew(new ClaimRef(intent.id(), fence, reconciler), ONE_MILLI);
        assertThat(remaining(intent)).isGreaterThan(Duration.ofDays(100 * 365));
    }

    @Test
    void aResultLeavesMemoryBeforeItsRecord() {
        Intent intent = replayed(Intent.DAY);

        Await.until("dropped", PATIENCE, () -> intent.askedAt(store) instanceof ClaimAnswer.NoResult);
        Await.until("out of memory", PATIENCE, () -> !allBytes().contains("secret"));
        assertThat(intent.amount(99).askedAt(store)).isInstanceOf(ClaimAnswer.Mismatch.class);
        assertThat(store.find(intent.id()).orElseThrow().resultSize()).isEqualTo(-1);
        assertLasts(intent, Intent.DAY);
    }

    /** Settled with a result for half a second, which was seen within that time: another one, where the machine was slower. */
    private Intent replayed(Duration retention) {
        Intent[] seen = new Intent[1];
        Await.until("seen while it was there", PATIENCE, () -> {
            Intent intent = seen[0] = Intent.fresh();
            store.settle(intent.grantedAt(store), Intent.success("secret", retention, HALF_SECOND));
            return intent.askedAt(store).equals(Intent.replayOf("secret"))
                    && allBytes().contains("secret");
        });
        return seen[0];
    }

    @Test
    void aResultDoesNotWaitForTheMargin() {
        Intent intent = replayed(HALF_SECOND);
        Await.until("out of memory", PATIENCE, () -> !allBytes().contains("secret"));
        assertThat(redis.exists(key(intent))).isEqualTo(1);
    }

    @Test
    void aTimeThatHasComeToNothingMeansExpired() {
        for (Duration over : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(-9_999))) {
            Intent intent = Intent.fresh();
            ClaimRef claim = intent.grantedAt(store);
            assertThat(store.settle(claim, Intent.success("r", over, over))).isEqualTo(HolderAnswer.DONE);
            assertLasts(intent, MARGIN);
            assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.Granted.class);
        }
    }

    @Test
    void noKeyIsEverWithoutTimeToLive() {
        Random random = new Random(20);
        List<Intent> intents = new ArrayList<>();
        List<ClaimRef> claims = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            Intent intent = intents.isEmpty() || random.nextInt(3) == 0
                    ? Intent.fresh().lease(time(random)).retention(time(random))
                    : intents.get(random.nextInt(intents.size()));
            intents.add(intent);
            AttemptId attempt = AttemptId.random();
            if (store.claim(intent.request(attempt)) instanceof ClaimAnswer.Granted granted) {
                claims.add(new ClaimRef(intent.id(), granted.fence(), attempt));
            }
            ClaimRef claim = claims.get(random.nextInt(claims.size()));
            switch (random.nextInt(5)) {
                case 0 -> store.renew(claim, time(random));
                case 1 -> store.release(claim);
                case 2 -> store.forget(claim.id());
                default -> {
                    Duration retention = time(random);
                    RecordState state = random.nextInt(4) == 0 ? RecordState.UNKNOWN : RecordState.SUCCEEDED;
                    store.settle(
                            claim,
                            new Settlement(
                                    state,
                                    Intent.payload("r"),
                                    retention,
                                    random.nextBoolean() ? retention : ONE_MILLI));
                }
            }
        }
        int keys = 0;
        for (byte[] key : allKeys()) {
            long left = redis.pttl(key);
            assertThat(left).isNotEqualTo(-1);
            keys++;
        }
        assertThat(keys).isGreaterThan(500);
    }

    @Test
    void absurdOptionsAreRefused() {
        for (Duration absurd : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> Handles.OPTIONS.withTimeout(absurd)).hasMessageContaining("timeout is 1 ms to");
            assertThatThrownBy(() -> Handles.OPTIONS.withPurgeMargin(absurd))
                    .hasMessageContaining("purge margin is 1 ms to");
        }
    }

    private static Duration time(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> ONE_MILLI;
            case 1 -> HALF_SECOND;
            case 2 -> Duration.ofHours(1);
            default -> Duration.ofDays(3_660);
        };
    }

    private byte[] key(Intent intent) {
        return new RecordFormat(RedisOptions.DEFAULT_PREFIX).recordKey(intent.id());
    }

    private Duration remaining(Intent intent) {
        return Duration.ofMillis(redis.pttl(key(intent)));
    }

    /** At least as long, and about so long. */
    private void assertLasts(Intent intent, Duration time) {
        assertThat(remaining(intent)).isBetween(time.minusSeconds(60), time.plusMillis(2));
    }

    private List<byte[]> allKeys() {
        List<byte[]> keys = new ArrayList<>();
        ScanCursor cursor = ScanCursor.INITIAL;
        while (!cursor.isFinished()) {
            KeyScanCursor<byte[]> page = redis.scan(cursor);
            keys.addAll(page.getKeys());
            cursor = page;
        }
        return keys;
    }

    private String allBytes() {
        StringBuilder all = new StringBuilder();
        for (byte[] key : allKeys()) {
            byte[] value = redis.get(key);
            if (value != null) {
                all.append(new String(value, java.nio.charset.StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }
}
