package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C20: leases and times to live of locks in Redis")
class RedisLockTimeToLiveIT {
    private static final Duration MARGIN = RedisOptions.DEFAULT_PURGE_MARGIN;
    private static final Duration HALF_SECOND = Duration.ofMillis(500);
    private static final Duration ONE_MILLI = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private RedisLockStore store;
    private RedisCommands<byte[], byte[]> redis;

    @BeforeEach
    void connect() {
        store = handles.lockStore(server.uri());
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
    }

    @Test
    void aLockLastsForItsLeaseItsWindowAndTheMargin() {
        Lock brief = Lock.fresh();
        ClaimRef held = brief.grantedAt(store);
        assertLasts(brief, MARGIN);
        store.renew(held, HOUR);
        assertLasts(brief, HOUR);

        Lock lasting = Lock.fresh().lease(HOUR);
        store.end(lasting.grantedAt(store), LockEnd.released());
        assertLasts(lasting, MARGIN);

        Lock windowed = Lock.fresh().window(HOUR);
        ClaimRef first = windowed.grantedAt(store);
        assertLasts(windowed, HOUR);
        store.end(first, new LockEnd(true, null, HOUR));
        assertLasts(windowed, HOUR);
        Lock closed = Lock.fresh().window(HOUR);
        store.end(closed.grantedAt(store), LockEnd.released());
        assertLasts(closed, MARGIN);

        Lock next = Lock.fresh();
        LockRequest request = next.lease(HOUR).request();
        assertThat(store.pass(next.grantedAt(store), request)).isPresent();
        assertLasts(next, HOUR);
    }

    @Test
    void aResultLeavesMemoryWhenItIsOver() {
        Lock lock = Lock.fresh();
        ClaimRef held = lock.grantedAt(store);
        store.end(held, new LockEnd(true, Payload.of("secret".getBytes(StandardCharsets.US_ASCII)), HALF_SECOND));
        assertThat(redis.pttl(LockFormat.resultKey(lock.name())))
                .isBetween(-2L, 502L)
                .isNotEqualTo(-1);
        Await.until("out of memory", PATIENCE, () -> redis.exists(LockFormat.resultKey(lock.name())) == 0);
        assertLasts(lock, MARGIN);
    }

    @Test
    void shortLeasesAreHonouredToTheMicrosecond() {
        for (Duration lease : List.of(ONE_MILLI, HALF_SECOND)) {
            Lock lock = Lock.fresh().lease(lease);
            ClaimRef first = lock.grantedAt(store);
            ClaimRef[] second = new ClaimRef[1];
            List<Duration> left = new ArrayList<>();
            Await.until("over", PATIENCE, () -> {
                LockRequest request = lock.request();
                LockAnswer answer = store.acquire(request);
                if (answer instanceof LockAnswer.Held held) {
                    left.add(held.left());
                    return false;
                }
                second[0] = lock.ref(request, answer);
                return true;
            });
            assertThat(left).allSatisfy(each -> assertThat(each).isPositive().isLessThanOrEqualTo(lease));
            assertThat(second[0].fence()).isGreaterThanOrEqualTo(first.fence() + lease.toNanos() / 1_000);
            assertThat(store.end(first, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
            assertThat(store.renew(first, HOUR)).isEqualTo(HolderAnswer.LOST);
        }
    }

    @Test
    void aTimeThatHasComeToNothingMeansOver() {
        for (Duration over : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(-9_999))) {
            Lock lock = Lock.fresh();
            ClaimRef held = lock.grantedAt(store);
            assertThat(store.renew(held, over)).isEqualTo(HolderAnswer.DONE);
            assertLasts(lock, MARGIN);
            assertThat(store.end(held, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
            assertThat(lock.isFreeAt(store)).isTrue();

            Lock stillborn = Lock.fresh().lease(over);
            stillborn.askedAt(store);
            assertLasts(stillborn, MARGIN);
            assertThat(stillborn.isFreeAt(store)).isTrue();

            Lock ending = Lock.fresh();
            store.end(ending.grantedAt(store), new LockEnd(true, Payload.of(new byte[1]), over));
            assertLasts(ending, MARGIN);
            assertThat(ending.isFreeAt(store)).isTrue();
        }
    }

    @Test
    void absurdTimesAreRefusedWithNothingDone() {
        for (Duration absurd :
                Arrays.asList(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(Long.MAX_VALUE))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LockOptions.untilDone().lease(absurd))
                    .withMessageContaining("the lease of a lock is 1 ms to");
            assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.forWindow(absurd));
        }
        for (Duration absurd : List.of(Duration.ofMillis(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE))) {
            Lock lock = Lock.fresh().lease(absurd);
            try {
                lock.askedAt(store);
            } catch (StoreUnavailableException | ArithmeticException refused) {
                assertThat(redis.exists(lock.name())).isZero();
            }
            assertThat(redis.pttl(lock.name())).isNotEqualTo(-1);
        }
    }

    @Test
    void noKeyIsEverWithoutTimeToLive() {
        Random random = new Random(20);
        List<Lock> locks = new ArrayList<>();
        List<ClaimRef> refs = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Lock lock =
                    locks.isEmpty() || random.nextInt(3) == 0 ? Lock.fresh() : locks.get(random.nextInt(locks.size()));
            locks.add(lock);
            LockRequest request = new LockRequest(
                    lock.id(),
                    Lock.OPERATION,
                    AttemptId.random(),
                    time(random),
                    window(random),
                    random.nextBoolean(),
                    random.nextBoolean(),
                    random.nextBoolean() ? 1 : 0);
            if (store.acquire(request) instanceof LockAnswer.Granted granted) {
                refs.add(new ClaimRef(lock.id(), granted.fence(), request.attempt()));
            }
            ClaimRef ref = refs.get(random.nextInt(refs.size()));
            Payload result = random.nextBoolean() ? null : Payload.of(new byte[] {1});
            switch (random.nextInt(4)) {
                case 0 -> store.renew(ref, time(random));
                case 1 -> store.end(ref, LockEnd.released());
                case 2 -> store.end(ref, new LockEnd(true, result, time(random)));
                default -> {
                    LockRequest next = LockRequest.of(ref.id(), Lock.OPERATION, time(random), window(random));
                    OptionalLong passed = store.pass(ref, next);
                    passed.ifPresent(fence -> refs.add(new ClaimRef(ref.id(), fence, next.attempt())));
                }
            }
        }
        int keys = 0;
        for (byte[] key : allKeys()) {
            assertThat(redis.pttl(key)).isNotEqualTo(-1);
            keys++;
        }
        assertThat(keys).isGreaterThan(200);
    }

    private static Duration time(Random random) {
        return List.of(ONE_MILLI, HALF_SECOND, HOUR, LockOptions.MAX_LEASE).get(random.nextInt(4));
    }

    private static @Nullable Duration window(Random random) {
        return random.nextBoolean() ? null : random.nextBoolean() ? LockOptions.MAX_WINDOW : time(random);
    }

    /** At least as long, and about so long. */
    private void assertLasts(Lock lock, Duration time) {
        assertThat(Duration.ofMillis(redis.pttl(lock.name()))).isBetween(time.minusSeconds(60), time.plusMillis(2));
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
}
