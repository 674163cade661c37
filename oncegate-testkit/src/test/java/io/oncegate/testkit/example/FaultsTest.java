package io.oncegate.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Blockade;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testkit.CrashPoints;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testkit.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FaultsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final RecordStore real = new MemoryRecordStore(10, 1000, new TestClock(), Duration.ofMillis(1));
    private final RecordId id = OperationKey.of("faults", Scope.global(), "k").id();
    private final ClaimRequest request =
            new ClaimRequest(id, "faults", Fingerprint.none(), AttemptId.random(), HOUR, HOUR, 0, null);

    @Test
    void aFailedCallNeverArrives() {
        FaultyRecordStore store = new FaultyRecordStore(real);
        store.fail(Method.CLAIM, 2);
        assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailableException.class);
        assertThat(other(real)).isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(store.calls(Method.CLAIM)).isEqualTo(2);
    }

    @Test
    void aCallWhoseReplyIsLostTakesEffect() {
        FaultyRecordStore store = new FaultyRecordStore(real);
        store.loseNextReply(Method.CLAIM);
        assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailableException.class);
        assertThat(other(real)).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(store.claim(request)).isInstanceOf(ClaimAnswer.Granted.class);
        store.loseNextReply(Method.SETTLE);
        ClaimRef claim = new ClaimRef(id, ((ClaimAnswer.Granted) store.claim(request)).fence(), request.attempt());
        Settlement settlement = new Settlement(RecordState.SUCCEEDED, null, HOUR, HOUR);
        assertThatThrownBy(() -> store.settle(claim, settlement)).isInstanceOf(StoreUnavailableException.class);
        assertThat(other(real)).isInstanceOf(ClaimAnswer.NoResult.class);
        assertThat(store.settle(claim, settlement)).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    void aStoreThatIsDownAnswersNothingUntilItIsHealed() {
        FaultyRecordStore store = new FaultyRecordStore(real);
        store.down(true);
        assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> store.release(new ClaimRef(id, 1, request.attempt())))
                .isInstanceOf(StoreUnavailableException.class);
        store.heal();
        assertThat(store.claim(request)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aPausedCallWaitsUntilItIsReleased() {
        FaultyRecordStore store = new FaultyRecordStore(real);
        Blockade blockade = store.pauseNext(Method.CLAIM);
        CompletableFuture<ClaimAnswer> paused = CompletableFuture.supplyAsync(() -> store.claim(request));
        blockade.awaitArrival();
        assertThat(other(store)).isInstanceOf(ClaimAnswer.Granted.class);
        blockade.release();
        assertThat(paused.join()).isInstanceOf(ClaimAnswer.Held.class);
    }

    @Test
    void aPausedCallCanBeMadeToFail() {
        CrashPoints points = new CrashPoints();
        RecordStore store = points.around(real);
        Blockade blockade = points.block(CrashPoint.AFTER_CLAIM);
        CompletableFuture<ClaimAnswer> paused = CompletableFuture.supplyAsync(() -> store.claim(request));
        blockade.awaitArrival();
        assertThat(other(real)).isInstanceOf(ClaimAnswer.Held.class);
        blockade.releaseWith(new IllegalStateException("killed"));
        assertThatThrownBy(paused::join).hasRootCauseMessage("killed");
        assertThat(points.passed(CrashPoint.AFTER_CLAIM)).isEqualTo(1);
    }

    @Test
    void aTransactionPassesItsPointsInOrder() {
        List<String> seen = new ArrayList<>();
        RecordTransaction transaction = around(new CrashPoints(), seen);
        transaction.recordFirst(request, new Settlement(RecordState.SUCCEEDED, null, HOUR, HOUR), HOUR);
        transaction.complete(new Settlement(RecordState.SUCCEEDED, null, HOUR, HOUR));
        transaction.commit();
        transaction.rollback();
        assertThat(seen)
                .containsExactly(
                        "BEFORE_CLAIM",
                        "recordFirst",
                        "AFTER_CLAIM",
                        "BEFORE_SETTLE",
                        "complete",
                        "AFTER_SETTLE",
                        "BEFORE_COMMIT",
                        "commit",
                        "AFTER_COMMIT");
    }

    @Test
    void aTransactionThatFailsBeforeItsCommitIsRolledBackOnce() {
        CrashPoints points = new CrashPoints();
        List<String> seen = new ArrayList<>();
        RecordTransaction transaction = around(points, seen);
        points.fail(CrashPoint.BEFORE_COMMIT);
        assertThatThrownBy(transaction::commit).isInstanceOf(StoreUnavailableException.class);
        transaction.rollback();
        assertThat(seen).containsExactly("rollback");
    }

    @Test
    void aTransactionWhoseCommitReplyIsLostIsCommitted() {
        CrashPoints points = new CrashPoints();
        List<String> seen = new ArrayList<>();
        RecordTransaction transaction = around(points, seen);
        points.fail(CrashPoint.AFTER_COMMIT);
        assertThatThrownBy(transaction::commit).isInstanceOf(StoreUnavailableException.class);
        transaction.rollback();
        assertThat(seen).containsExactly("BEFORE_COMMIT", "commit");
    }

    private ClaimAnswer other(RecordStore store) {
        return store.claim(new ClaimRequest(id, "faults", Fingerprint.none(), AttemptId.random(), HOUR, HOUR, 0, null));
    }

    private static RecordTransaction around(CrashPoints points, List<String> seen) {
        for (CrashPoint point : CrashPoint.values()) {
            points.at(point, 100, () -> seen.add(point.name()));
        }
        return points.around(new RecordingStore(seen)).begin();
    }

    /** Writes down what it is asked for. */
    private record RecordingStore(List<String> seen) implements TransactionalRecordStore, RecordTransaction {
        @Override
        public String name() {
            return "recording";
        }

        @Override
        public RecordTransaction begin() {
            return this;
        }

        @Override
        public boolean joined() {
            return false;
        }

        @Override
        public boolean threadBound() {
            return false;
        }

        @Override
        public ClaimAnswer recordFirst(ClaimRequest request, Settlement settlement, Duration wait) {
            seen.add("recordFirst");
            return new ClaimAnswer.Granted(1, false);
        }

        @Override
        public void savepoint() {
            seen.add("savepoint");
        }

        @Override
        public void rollbackToSavepoint() {
            seen.add("rollbackToSavepoint");
        }

        @Override
        public void release() {
            throw new AssertionError("not asked for");
        }

        @Override
        public void complete(Settlement settlement) {
            seen.add("complete");
        }

        @Override
        public void commit() {
            seen.add("commit");
        }

        @Override
        public void rollback() {
            seen.add("rollback");
        }

        @Override
        public <R> @Nullable R unwrap(Class<R> type) {
            return null;
        }
    }
}
