package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.LadderForget;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.MarkAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordState;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.testkit.Blockade;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator forgets records of a ladder, with each database as the judge. */
@ParameterizedClass
@EnumSource(Databases.class)
class LadderForgetIT extends OnEachDatabase {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final MemoryRecordStore memory = new MemoryRecordStore();
    private final FaultyRecordStore fast = new FaultyRecordStore(memory);
    private final JdbcRecordStore table = JdbcRecordStore.of(scene.pool());
    private final Oncegate ladder = scene.ladder(fast, () -> null).build();
    private final LadderForget forget = LadderForget.of(memory, table);

    LadderForgetIT(Databases kind) {
        super(kind);
    }

    @AfterEach
    void close() {
        ladder.close();
    }

    private Outcome<String> runLadder(Call<String> call, String value) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), value));
    }

    private static RecordId id(Call<?> call) {
        return call.key().id();
    }

    @Test
    @DisplayName("a forgotten request runs again, and its new answer is replayed")
    void forgetsInBothStores() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        assertThat(forget.forget(id(call))).isEqualTo(ForgetAnswer.ABSENT);
        runLadder(call, "old");
        assertThat(forget.forget(id(call))).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
        assertThat(runLadder(call, "again")).isEqualTo(new Outcome.Replayed<>("new"));
    }

    @Test
    @DisplayName("a running request is held, and stays as it is")
    void doesNotForgetWhatRuns() {
        Call<String> call = call(text().build(), newKey());
        Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
        assertThat(forget.forget(id(call))).isEqualTo(ForgetAnswer.HELD);
        assertThat(claim.succeed("done")).isEqualTo(new Outcome.Executed<>("done"));
    }

    @Test
    @DisplayName("a mark holds all others, refuses other payloads, and ends by its release alone")
    void aMark() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        memory.forget(id(call));
        AttemptId attempt = AttemptId.random();
        MarkAnswer.Marked marked = (MarkAnswer.Marked) table.mark(id(call), attempt, LIMIT);
        assertThat(table.mark(id(call), attempt, LIMIT)).as("sent again").isEqualTo(marked);
        assertThat(table.mark(id(call), AttemptId.random(), LIMIT)).isEqualTo(new MarkAnswer.Held());
        assertThat(runLadder(call, "again")).isInstanceOf(Outcome.Held.class);
        assertThat(runLadder(call(call.operation(), call.key().value(), Fingerprint.of("11")), "other"))
                .isInstanceOf(Outcome.Mismatch.class);
        assertThat(table.forget(id(call))).isEqualTo(ForgetAnswer.HELD);
        assertThat(table.release(new ClaimRef(id(call), marked.fence(), attempt)))
                .isEqualTo(HolderAnswer.DONE);
        assertThat(table.mark(id(call), attempt, LIMIT)).isEqualTo(new MarkAnswer.Absent());
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
    }

    @Test
    @DisplayName("a forget that dies half way leaves nothing that runs, and can be repeated")
    void diesHalfWay() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        memory.forget(id(call));
        assertThat(table.mark(id(call), AttemptId.random(), Duration.ofMillis(1)))
                .isInstanceOf(MarkAnswer.Marked.class);
        Await.until(
                "the dead marker's lease is over", LIMIT, () -> runLadder(call, "again") instanceof Outcome.Unknown);
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(forget.forget(id(call))).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
    }

    @Test
    @DisplayName("a fast store that is down is found before anything is changed, or leaves the mark")
    void theFastStoreIsDown() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        for (int answers = 0; answers < 2; answers++) {
            LadderForget failing = LadderForget.of(new FailingBrowser(memory, answers), table);
            assertThatThrownBy(() -> failing.forget(id(call))).isInstanceOf(StoreUnavailableException.class);
            if (answers == 0) {
                assertThat(runLadder(call, "again")).isEqualTo(new Outcome.Replayed<>("old"));
            }
        }
        assertThat(runLadder(call, "again")).isInstanceOf(Outcome.Held.class);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a reader who is about to refill the fast store with the old answer is waited for")
    void waitsForReaders() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        memory.forget(id(call));
        Blockade settling = fast.pauseNext(Method.SETTLE);
        CompletableFuture<Begun<String>> reader = CompletableFuture.supplyAsync(() -> ladder.begin(call));
        settling.awaitArrival();
        assertThat(LadderForget.of(memory, table).forget(id(call))).isEqualTo(ForgetAnswer.HELD);
        settling.release();
        assertThat(((Begun.Answered<String>) reader.join()).outcome()).isEqualTo(new Outcome.Replayed<>("old"));
        assertThat(forget.forget(id(call))).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
    }

    @Test
    @DisplayName("a reader who comes between the mark and the deletion brings no old answer back")
    void aReaderInBetween() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        RecordBrowser between = new Between(memory, false, () -> {
            try {
                assertThat(runLadder(call, "between")).isInstanceOf(Outcome.Held.class);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(LadderForget.of(between, table).forget(id(call))).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
    }

    @Test
    @DisplayName("a reader who has read the old answer before the mark is waited for, and does not bring it back")
    void aReaderFromBeforeTheMark() throws Exception {
        Call<String> call = call(text().build(), newKey());
        runLadder(call, "old");
        Blockade settling = fast.pauseNext(Method.SETTLE);
        List<CompletableFuture<Begun<String>>> readers = new ArrayList<>();
        RecordBrowser beforeTheMark = new Between(memory, true, () -> {
            // It claims behind the first deletion, and is about to settle when the record is marked.
            readers.add(CompletableFuture.supplyAsync(() -> ladder.begin(call)));
            settling.awaitArrival();
        });
        CompletableFuture<ForgetAnswer> forgotten = CompletableFuture.supplyAsync(
                () -> LadderForget.of(beforeTheMark, table).forget(id(call)));
        Await.until(
                "the record is marked",
                LIMIT,
                () -> table.find(id(call)).orElseThrow().state() == RecordState.UNKNOWN);
        settling.release();
        assertThat(((Begun.Answered<String>) readers.get(0).get(60, TimeUnit.SECONDS)).outcome())
                .isEqualTo(new Outcome.Replayed<>("old"));
        assertThat(forgotten.get(60, TimeUnit.SECONDS)).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(runLadder(call, "new")).isEqualTo(new Outcome.Executed<>("new"));
    }

    private static class FailingBrowser implements RecordBrowser {
        private final RecordBrowser browser;
        private final AtomicInteger answers;

        FailingBrowser(RecordBrowser browser, int answers) {
            this.browser = browser;
            this.answers = new AtomicInteger(answers);
        }

        @Override
        public Page browse(Query query) {
            return browser.browse(query);
        }

        @Override
        public Optional<Entry> find(RecordId id) {
            return browser.find(id);
        }

        @Override
        public ForgetAnswer forget(RecordId id) {
            if (answers.getAndDecrement() <= 0) {
                throw new StoreUnavailableException("fast", "a test wants no answer", null);
            }
            return browser.forget(id);
        }
    }

    /** Does something before the second forget, or straight after the first. */
    private static final class Between extends FailingBrowser {
        private final Runnable action;
        private final boolean early;
        private int forgets;

        Between(RecordBrowser browser, boolean early, Runnable action) {
            super(browser, Integer.MAX_VALUE);
            this.early = early;
            this.action = action;
        }

        @Override
        public ForgetAnswer forget(RecordId id) {
            if (++forgets == 2 && !early) {
                action.run();
            }
            ForgetAnswer answer = super.forget(id);
            if (forgets == 1 && early) {
                action.run();
            }
            return answer;
        }
    }
}
