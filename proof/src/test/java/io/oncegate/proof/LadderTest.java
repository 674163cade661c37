package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.FailureKind;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testkit.Blockade;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testkit.TestClock;
import io.oncegate.testsupport.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The ladder on a memory store and H2: what is asked in which order, and what each failure leaves. */
class LadderTest {
    private static final Seen NOTHING = new Seen(0, 0, 0);
    private static final Seen ONCE = new Seen(1, 1, 1);
    private static final Fingerprint ELEVEN = Fingerprint.of("11");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration RETENTION = Duration.ofHours(1);

    private final TestClock clock = new TestClock();
    private final MemoryRecordStore memory = new MemoryRecordStore(1000, 1 << 20, clock, Duration.ofMillis(1));
    private final FaultyRecordStore fast = new FaultyRecordStore(memory);
    private final List<OnceEvent.Kind> events = new CopyOnWriteArrayList<>();
    private final AtomicReference<Connection> callers = new AtomicReference<>();
    private SameTransactionScene scene;
    private Oncegate ladder;

    @BeforeEach
    void open() throws SQLException {
        scene = new SameTransactionScene(Databases.H2);
        ladder = scene.ladder(fast, callers::get)
                .listener(event -> events.add(event.kind()))
                .settleFor(Duration.ofMillis(100))
                .build();
    }

    @AfterEach
    void close() {
        ladder.close();
        scene.close();
    }

    private static Operation.Builder<String> operation() {
        return text().lease(LEASE).retention(RETENTION);
    }

    private static Call<String> newCall() {
        return call(operation().build(), newKey());
    }

    private Outcome<String> run(Call<String> call, String value) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), value));
    }

    private Entry atFast(Call<?> call) {
        return memory.find(call.key().id()).orElseThrow();
    }

    private void forgetAtFast(Call<?> call) {
        assertThat(memory.forget(call.key().id())).isEqualTo(ForgetAnswer.FORGOTTEN);
    }

    private int connections() {
        return scene.watch.sent().connections();
    }

    @Test
    @DisplayName("a first run asks the fast store twice, and a repetition asks it once and no database")
    void asksAsLittleAsItCan() throws SQLException {
        Call<String> call = newCall();
        assertThat(run(call, "first")).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(fast.calls(Method.CLAIM) + fast.calls(Method.SETTLE)).isEqualTo(2);
        assertThat(fast.calls(Method.RENEW) + fast.calls(Method.RELEASE)).isZero();
        int before = connections();
        assertThat(run(call, "second")).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(connections()).isEqualTo(before);
        assertThat(fast.calls(Method.CLAIM)).isEqualTo(2);
        assertThat(ladder.inSameTransaction()).isTrue();
    }

    @Test
    @DisplayName("what the fast store has lost the judge answers, and the fast store after it")
    void refillsWhatWasLost() throws SQLException {
        Call<String> call = newCall();
        run(call, "first");
        forgetAtFast(call);
        assertThat(run(call, "second")).isEqualTo(new Outcome.Replayed<>("first"));
        int before = connections();
        assertThat(run(call, "third")).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(connections()).isEqualTo(before);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName(
            "the fast store answers for less than the judge's retention, counted from the outcome or from the answer")
    void theFastStoreForgetsFirst() throws SQLException {
        Call<String> call = newCall();
        run(call, "first");
        long latest = clock.micros() + micros(RETENTION.minus(LEASE));
        assertThat(atFast(call).expiresAt()).isLessThanOrEqualTo(latest).isGreaterThan(clock.micros());
        forgetAtFast(call);
        run(call, "second");
        assertThat(atFast(call).state()).isEqualTo(RecordState.SUCCEEDED);
        assertThat(atFast(call).expiresAt()).isLessThan(latest);
    }

    @Test
    @DisplayName("a result that is kept for a shorter time leaves the fast store before it leaves the judge")
    void theResultsRetentionBounds() throws SQLException {
        Call<String> call =
                call(operation().resultRetention(Duration.ofMinutes(10)).build(), newKey());
        run(call, "first");
        assertThat(atFast(call).expiresAt())
                .isLessThanOrEqualTo(
                        clock.micros() + micros(Duration.ofMinutes(10).minus(LEASE)));
        Call<String> short_ =
                call(operation().resultRetention(Duration.ofSeconds(5)).build(), newKey());
        run(short_, "first");
        assertThat(atFast(short_).state()).isEqualTo(RecordState.FREE);
        assertThat(run(short_, "second")).isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("a twin is held by the fast store, and waits there without a connection")
    void aTwinIsHeld() throws SQLException {
        Call<String> call = newCall();
        Claim<String> claim = started(call);
        int before = connections();
        assertThat(run(call, "twin")).isInstanceOf(Outcome.Held.class);
        assertThat(connections()).isEqualTo(before);
        assertThat(claim.succeed("first")).isInstanceOf(Outcome.Executed.class);
        assertThat(run(call, "twin")).isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("a twin is held by the judge where the fast store has lost the claim, and leaves nothing there")
    void aTwinIsHeldByTheJudge() throws SQLException {
        Call<String> call = newCall();
        Claim<String> claim = started(call);
        clock.advance(LEASE); // as good as lost
        assertThat(run(call, "twin")).isInstanceOf(Outcome.Held.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        assertThat(claim.succeed("first")).isInstanceOf(Outcome.Executed.class);
        assertThat(atFast(call).state())
                .as("settled under a claim of somebody else")
                .isEqualTo(RecordState.FREE);
        assertThat(run(call, "twin")).isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("nothing is settled once the lease is over by the fast store's clock")
    void nothingIsSettledLate() throws SQLException {
        Call<String> call = newCall();
        Claim<String> claim = started(call);
        clock.advance(LEASE);
        assertThat(claim.succeed("first")).isInstanceOf(Outcome.Executed.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.RUNNING);
        assertThat(run(call, "twin")).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(atFast(call).state()).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("C49: another payload is refused by the fast store and by the judge")
    void anotherPayloadIsRefused() throws SQLException {
        Call<String> call = newCall();
        Call<String> other = call(call.operation(), call.key().value(), ELEVEN);
        Claim<String> claim = started(call);
        assertThat(run(other, "other")).as("while running").isInstanceOf(Outcome.Mismatch.class);
        claim.succeed("first");
        assertThat(run(other, "other")).as("afterwards").isInstanceOf(Outcome.Mismatch.class);
        forgetAtFast(call);
        assertThat(run(other, "other")).as("by the judge").isInstanceOf(Outcome.Mismatch.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("an honest repetition is answered although another payload has taken the fast store's claim")
    void anImpostorInTheFastStore() throws SQLException {
        Call<String> call = newCall();
        run(call, "first");
        forgetAtFast(call);
        Call<String> other = call(call.operation(), call.key().value(), ELEVEN);
        Blockade paused = scene.points.block(CrashPoint.BEFORE_CLAIM);
        var impostor = CompletableFuture.supplyAsync(() -> ladder.begin(other));
        paused.awaitArrival();
        assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("first"));
        paused.release();
        assertThat(((Begun.Answered<String>) impostor.join()).outcome()).isInstanceOf(Outcome.Mismatch.class);
    }

    @Test
    @DisplayName("a failure leaves nothing in either store, and the next call runs")
    void aFailureFreesBoth() throws Exception {
        Call<String> call = newCall();
        IllegalStateException failure = new IllegalStateException("no");
        assertThatThrownBy(
                        () -> ladder.run(call, scene.effectThenFail(call.key().value(), failure)))
                .isSameAs(failure);
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        assertThat(run(call, "second")).isEqualTo(new Outcome.Executed<>("second"));
    }

    @Test
    @DisplayName("a kept refusal is replayed by the fast store, and an unknown outcome only by the judge")
    void refusalsAndUnknownOutcomes() throws Exception {
        Call<String> refused = call(
                operation()
                        .refusal("sold-out", OnEachDatabase.SoldOut.class, OnEachDatabase.SoldOut::new)
                        .build(),
                newKey());
        ladder.run(refused, scene.effectThenFail(refused.key().value(), new OnEachDatabase.SoldOut("none")));
        int before = connections();
        assertThat(run(refused, "again")).isInstanceOf(Outcome.Refused.class);
        assertThat(connections()).isEqualTo(before);

        Call<String> unknown =
                call(operation().failures(failure -> FailureKind.NOBODY_KNOWS).build(), newKey());
        ladder.run(unknown, scene.effectThenFail(unknown.key().value(), new IllegalStateException("lost")));
        assertThat(atFast(unknown).state()).isEqualTo(RecordState.FREE);
        assertThat(run(unknown, "again")).isInstanceOf(Outcome.Unknown.class);
        assertThat(atFast(unknown).state()).isEqualTo(RecordState.FREE);
    }

    @Test
    @DisplayName("a fast store that is down costs one failure, is counted, and changes no answer")
    void theFastStoreIsDown() throws SQLException {
        Call<String> call = newCall();
        fast.down(true);
        assertThat(run(call, "first")).isEqualTo(new Outcome.Executed<>("first"));
        int asked = fast.calls(Method.CLAIM);
        for (int i = 0; i < 20; i++) {
            assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("first"));
        }
        assertThat(fast.calls(Method.CLAIM))
                .as("not asked again for every call")
                .isLessThan(asked + 15);
        assertThat(events.stream().filter(kind -> kind == OnceEvent.Kind.FAST_STORE_DOWN))
                .hasSize(21);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a claim whose reply is lost finds itself, and a settling whose reply is lost is done")
    void lostRepliesOfTheFastStore() throws SQLException {
        Call<String> call = newCall();
        fast.loseNextReply(Method.CLAIM);
        fast.loseNextReply(Method.SETTLE);
        assertThat(run(call, "first")).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(atFast(call).state()).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("a commit whose reply is lost is looked for at the judge, and then the fast store is settled")
    void theReplyToTheCommitIsLost() throws SQLException {
        Call<String> call = newCall();
        scene.points.fail(CrashPoint.AFTER_COMMIT, 1);
        assertThat(run(call, "first")).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(atFast(call).state()).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("a commit that was rolled back frees the fast store, and nobody is told that it was done")
    void theCommitIsRolledBack() throws SQLException {
        Call<String> call = newCall();
        scene.points.fail(CrashPoint.BEFORE_COMMIT, 1);
        assertThatThrownBy(() -> run(call, "first")).isInstanceOf(StoreUnavailableException.class);
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        assertThat(run(call, "second")).isEqualTo(new Outcome.Executed<>("second"));
    }

    @Test
    @DisplayName("a commit that nobody can look for leaves the fast claim to run out")
    void theCommitStaysUnknown() throws SQLException {
        Call<String> call = newCall();
        Claim<String> claim = started(call);
        scene.points.fail(CrashPoint.AFTER_COMMIT, 1);
        scene.points.fail(CrashPoint.BEFORE_CLAIM, 1000);
        assertThatThrownBy(() -> claim.succeed("first")).isInstanceOf(OutcomeNotRecordedException.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.RUNNING);
        scene.points.clear();
        clock.advance(LEASE);
        assertThat(run(call, "second")).isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("while the judge is down nothing is run, and the fast store keeps nothing of it")
    void theJudgeIsDown() throws SQLException {
        Call<String> done = newCall();
        run(done, "first");
        Call<String> call = newCall();
        scene.points.fail(CrashPoint.BEFORE_CLAIM, 1);
        assertThatThrownBy(() -> run(call, "first")).isInstanceOf(StoreUnavailableException.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        assertThat(run(done, "again")).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(events).contains(OnceEvent.Kind.STORE_DOWN);
    }

    @Test
    @DisplayName("in the caller's transaction the fast store is never settled before the commit")
    void theCallersTransaction() throws SQLException {
        Call<String> call = newCall();
        try (Connection connection = scene.database.connect()) {
            connection.setAutoCommit(false);
            callers.set(connection);
            assertThat(run(call, "first")).isEqualTo(new Outcome.Executed<>("first"));
            assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("first"));
            assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
            connection.rollback();
            assertThat(run(call, "second")).isEqualTo(new Outcome.Executed<>("second"));
            connection.commit();
            callers.set(null);
        }
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(run(call, "third")).isEqualTo(new Outcome.Replayed<>("second"));
        assertThat(atFast(call).state()).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("C10: a key's birth time counts only where the judge has no record")
    void birthTime() throws SQLException {
        Call<String> call = newCall().bornWithin(clock.instant(), Duration.ofMillis(1), Duration.ofMillis(1));
        assertThat(run(call, "first")).isInstanceOf(Outcome.Expired.class);
        assertThat(atFast(call).state()).isEqualTo(RecordState.FREE);
        Call<String> done = newCall();
        run(done, "first");
        forgetAtFast(done);
        assertThat(run(done.bornWithin(clock.instant(), Duration.ofMillis(1), Duration.ofMillis(1)), "second"))
                .isEqualTo(new Outcome.Replayed<>("first"));
    }

    @Test
    @DisplayName("nonsense is refused when it is built or checked")
    void refusesNonsense() {
        JdbcRecordStore sameTable = JdbcRecordStore.of(scene.pool());
        assertThatThrownBy(() -> scene.ladder(sameTable, callers::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both jdbc:oncegate_record");
        assertThatThrownBy(() -> ladder.check(operation().recordLate().build()))
                .hasMessageContaining("leave recordLate() away");
        assertThatThrownBy(() -> ladder.check(operation().lease(RETENTION).build()))
                .hasMessageContaining("shorten the lease");
        assertThatThrownBy(() -> ladder.check(
                        operation().whenStoreDown(WhenStoreDown.RUN_UNPROTECTED).build()))
                .hasMessageContaining("claimed mode");
    }

    private Claim<String> started(Call<String> call) throws SQLException {
        Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
        Connection connection = claim.unwrap(Connection.class);
        Effects.write(connection, call.key().value(), 1, claim.fence());
        Effects.write(connection, call.key().value(), 2, claim.fence());
        return claim;
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
