package io.oncegate.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testkit.TestClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CachedRecordStoreTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration RETENTION = Duration.ofMinutes(10);
    private static final Duration STALENESS = Duration.ofMinutes(1);
    private static final Settlement DONE = done("result".length());

    private final TestClock clock = new TestClock();
    private final MemoryRecordStore memory = new MemoryRecordStore(10_000, 1 << 24, clock, Duration.ofMillis(1));
    private final Counting counting = new Counting(memory);
    private final CachedRecordStore store =
            CachedRecordStore.of(counting, STALENESS, 100_000, () -> clock.micros() * 1000);

    private static Settlement done(int bytes) {
        return new Settlement(RecordState.SUCCEEDED, Payload.of(new byte[bytes]), RETENTION, RETENTION);
    }

    private static ClaimRequest request(String key, String payload) {
        return new ClaimRequest(
                OperationKey.of("op", Scope.global(), key).id(),
                "op",
                Fingerprint.of(payload),
                AttemptId.random(),
                LEASE,
                RETENTION,
                0,
                null);
    }

    private ClaimRequest settled(String key, Settlement settlement) {
        ClaimRequest request = request(key, "a");
        ClaimAnswer.Granted granted = (ClaimAnswer.Granted) store.claim(request);
        assertThat(store.settle(new ClaimRef(request.id(), granted.fence(), request.attempt()), settlement))
                .isEqualTo(HolderAnswer.DONE);
        return request;
    }

    /** Whether a repetition was answered without the store. */
    private boolean answeredByCache(String key) {
        int before = counting.claims.get();
        assertThat(store.claim(request(key, "a"))).isInstanceOf(ClaimAnswer.Replay.class);
        return counting.claims.get() == before;
    }

    @Test
    @DisplayName("the second repetition is answered without the store, until the longest staleness is over")
    void answersRepetitions() {
        settled("k", DONE);
        assertThat(answeredByCache("k")).isFalse();
        assertThat(answeredByCache("k")).isTrue();
        clock.advance(STALENESS.minusMillis(1));
        assertThat(answeredByCache("k")).isTrue();
        clock.advance(Duration.ofMillis(1));
        assertThat(answeredByCache("k")).isFalse();
    }

    @Test
    @DisplayName("an answer is never kept for longer than the store says that it is good for")
    void theStoresRemainingBounds() {
        settled("k", new Settlement(RecordState.SUCCEEDED, DONE.result(), RETENTION, Duration.ofSeconds(5)));
        answeredByCache("k");
        clock.advance(Duration.ofSeconds(5));
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.NoResult.class);
    }

    @Test
    @DisplayName("another payload is refused by the store, also where the record is in the cache")
    void anotherPayloadAsksTheStore() {
        settled("k", DONE);
        answeredByCache("k");
        int before = counting.claims.get();
        assertThat(store.claim(request("k", "b"))).isInstanceOf(ClaimAnswer.Mismatch.class);
        assertThat(counting.claims.get()).isEqualTo(before + 1);
    }

    @Test
    @DisplayName("running, unknown and free records are never kept")
    void keepsOnlyWhatIsSettled() {
        ClaimRequest request = request("k", "a");
        ClaimAnswer.Granted granted = (ClaimAnswer.Granted) store.claim(request);
        ClaimRef claim = new ClaimRef(request.id(), granted.fence(), request.attempt());
        for (int i = 0; i < 3; i++) {
            int before = counting.claims.get();
            assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(store.claim(request("k", "b"))).isInstanceOf(ClaimAnswer.Mismatch.class);
            assertThat(counting.claims.get()).isEqualTo(before + 2);
        }
        assertThat(store.settle(claim, Settlement.unknown(RETENTION, Duration.ZERO)))
                .isEqualTo(HolderAnswer.DONE);
        int before = counting.claims.get();
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Unknown.class);
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Unknown.class);
        assertThat(counting.claims.get()).isEqualTo(before + 2);
    }

    @Test
    @DisplayName("a forget through this instance is seen at once, one elsewhere after the longest staleness")
    void forgets() {
        settled("k", DONE);
        answeredByCache("k");
        assertThat(store.forget(request("k", "a").id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Granted.class);

        settled("other", DONE);
        answeredByCache("other");
        memory.forget(request("other", "a").id());
        assertThat(answeredByCache("other")).isTrue();
        clock.advance(STALENESS);
        assertThat(store.claim(request("other", "a"))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    @DisplayName("an answer that was read before a forget is not kept after it")
    void aForgetWhileReading() {
        ClaimRequest request = settled("k", DONE);
        counting.afterClaim = () -> {
            counting.afterClaim = () -> {};
            store.forget(request.id());
        };
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Replay.class);
        assertThat(store.claim(request("k", "a"))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    @DisplayName("the attempt that settled a record is told so, although others are answered by the cache")
    void knowsItsOwn() {
        ClaimRequest request = settled("k", DONE);
        answeredByCache("k");
        assertThat(store.claim(request))
                .isInstanceOfSatisfying(
                        ClaimAnswer.Replay.class,
                        replay -> assertThat(replay.own()).isTrue());
        assertThat(store.claim(request("k", "a")))
                .isInstanceOfSatisfying(
                        ClaimAnswer.Replay.class,
                        replay -> assertThat(replay.own()).isFalse());
    }

    @Test
    @DisplayName("the cache is bounded by bytes")
    void isBounded() {
        for (int i = 0; i < 200; i++) {
            settled("k" + i, done(5_000));
            answeredByCache("k" + i);
        }
        int kept = 0;
        for (int i = 0; i < 200; i++) {
            if (store.kept(request("k" + i, "a").id())) {
                kept++;
            }
        }
        assertThat(kept).isBetween(1, 100_000 / 5_000);
    }

    @Test
    @DisplayName("bounds that make no sense are refused")
    void refusesNonsense() {
        assertThatThrownBy(() -> CachedRecordStore.of(memory, Duration.ofDays(1), 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("staleness");
        assertThatThrownBy(() -> CachedRecordStore.of(memory, STALENESS, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("byte");
    }

    /** Counts claims, and acts when one has been answered. */
    private static final class Counting implements RecordStore, RecordBrowser {
        private final MemoryRecordStore memory;
        private final AtomicInteger claims = new AtomicInteger();
        private volatile Runnable afterClaim = () -> {};

        Counting(MemoryRecordStore memory) {
            this.memory = memory;
        }

        @Override
        public String name() {
            return memory.name();
        }

        @Override
        public ClaimAnswer claim(ClaimRequest request) {
            claims.incrementAndGet();
            ClaimAnswer answer = memory.claim(request);
            afterClaim.run();
            return answer;
        }

        @Override
        public HolderAnswer renew(ClaimRef claim, Duration lease) {
            return memory.renew(claim, lease);
        }

        @Override
        public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
            return memory.settle(claim, settlement);
        }

        @Override
        public HolderAnswer release(ClaimRef claim) {
            return memory.release(claim);
        }

        @Override
        public Page browse(Query query) {
            return memory.browse(query);
        }

        @Override
        public Optional<Entry> find(RecordId id) {
            return memory.find(id);
        }

        @Override
        public ForgetAnswer forget(RecordId id) {
            return memory.forget(id);
        }
    }
}
