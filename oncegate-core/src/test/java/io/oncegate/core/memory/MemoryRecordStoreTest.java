package io.oncegate.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MemoryRecordStoreTest {
    private static final Duration RETENTION = Duration.ofMinutes(1);

    private final AtomicLong time = new AtomicLong(1_000_000);

    private static ClaimRequest request(String key) {
        return new ClaimRequest(
                OperationKey.of("op", Scope.global(), key).id(),
                "op",
                Fingerprint.none(),
                AttemptId.random(),
                Duration.ofSeconds(10),
                RETENTION,
                0,
                null);
    }

    private static ClaimRef claim(MemoryRecordStore store, String key) {
        ClaimRequest request = request(key);
        ClaimAnswer.Granted granted = (ClaimAnswer.Granted) store.claim(request);
        return new ClaimRef(request.id(), granted.fence(), request.attempt());
    }

    private static Settlement done(int bytes) {
        return new Settlement(RecordState.SUCCEEDED, Payload.of(new byte[bytes]), RETENTION, RETENTION);
    }

    @Test
    @DisplayName("C101, G12: full, it refuses new keys and evicts nothing that runs or answers")
    void fullItRefusesAndEvictsNothingThatAnswers() {
        MemoryRecordStore store = new MemoryRecordStore(10, 1000, time::get, Duration.ofMillis(1));
        ClaimRef running = claim(store, "running");
        for (int i = 1; i < 10; i++) {
            store.settle(claim(store, "k" + i), done(1));
        }
        assertThatThrownBy(() -> store.claim(request("one-more")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("full");
        for (int i = 1; i < 10; i++) {
            assertThat(store.claim(request("k" + i))).isInstanceOf(ClaimAnswer.Replay.class);
        }
        assertThat(store.renew(running, Duration.ofSeconds(100))).isEqualTo(HolderAnswer.DONE);
        time.addAndGet(RETENTION.toNanos() / 1000);
        assertThat(store.claim(request("one-more"))).isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(store.size()).isEqualTo(2);
        assertThat(store.renew(running, Duration.ofSeconds(1))).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    @DisplayName("C101, G12: 100,000 keys with 100 kB results stay within the bytes, and none runs again")
    void resultsStayWithinTheirBytes() {
        MemoryRecordStore store = new MemoryRecordStore(200_000, 1_000_000, time::get, Duration.ofMillis(1));
        Settlement big = done(100_000);
        for (int i = 0; i < 100_000; i++) {
            store.settle(claim(store, "k" + i), big);
            assertThat(store.resultBytes()).isLessThanOrEqualTo(1_000_000);
        }
        int kept = 0;
        for (int i = 0; i < 100_000; i++) {
            ClaimAnswer answer = store.claim(request("k" + i));
            assertThat(answer).isNotInstanceOf(ClaimAnswer.Granted.class);
            kept += answer instanceof ClaimAnswer.Replay ? 1 : 0;
        }
        assertThat(kept).isBetween(1, 10);
    }

    @Test
    @DisplayName("G12: records that have expired go by themselves as new keys come")
    void expiredRecordsGoAsNewKeysCome() {
        MemoryRecordStore store = new MemoryRecordStore(100_000, 1000, time::get, Duration.ofMillis(1));
        for (int i = 0; i < 50_000; i++) {
            time.addAndGet(100_000);
            store.settle(claim(store, "k" + i), done(0));
        }
        assertThat(store.size()).as("a minute holds 600").isLessThan(2_000);
    }

    @Test
    void refusesBoundsWithoutRoom() {
        assertThatThrownBy(() -> new MemoryRecordStore(0, 0, time::get, RETENTION))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MemoryRecordStore(1, -1, time::get, RETENTION))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
