package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.LadderForget;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.ReconcilePolicy;
import io.oncegate.core.Reconciler;
import io.oncegate.core.Reconciler.Finding;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Unknown outcomes on the ladder: only the judge knows of them, and the fast store keeps twins away while one finds out. */
class LadderReconcilerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Seen RECORD_ONLY = new Seen(0, 0, 1);
    private static final Seen ONCE = new Seen(1, 1, 1);
    private static final ReconcilePolicy LATER =
            ReconcilePolicy.DEFAULT.pauses(Duration.ofHours(1), Duration.ofHours(1));

    private final MemoryRecordStore memory = new MemoryRecordStore();
    private final FaultyRecordStore fast = new FaultyRecordStore(memory);
    private final List<OnceEvent.Kind> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger asks = new AtomicInteger();
    private volatile Finding<String> finding = new Finding.StillUnknown<>();
    private SameTransactionScene scene;
    private JdbcRecordStore judge;
    private Oncegate ladder;

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @BeforeEach
    void open() throws SQLException {
        scene = new SameTransactionScene(Databases.H2);
        judge = JdbcRecordStore.of(scene.pool());
        ladder = node();
    }

    @AfterEach
    void close() {
        ladder.close();
        scene.close();
    }

    private Oncegate node() {
        return scene.ladder(fast, () -> null)
                .listener(event -> events.add(event.kind()))
                .settleFor(Duration.ofMillis(100))
                .build();
    }

    private Call<String> newCall(ReconcilePolicy policy) {
        return newCall(policy, (key, claim) -> {
            asks.incrementAndGet();
            return finding;
        });
    }

    private static Call<String> newCall(ReconcilePolicy policy, Reconciler<String> reconciler) {
        return SameTransactionScene.call(
                text().failures(failure ->
                                failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED)
                        .reconciler(reconciler, policy)
                        .build(),
                newKey());
    }

    private Outcome<String> run(Call<String> call, String value) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), value));
    }

    private void timeOut(Call<String> call) throws Exception {
        assertThat(ladder.run(call, scene.effectThenFail(call.key().value(), new TimedOut())))
                .isInstanceOf(Outcome.Unknown.class);
        scene.runs.set(0);
    }

    /** Lets the pause pass in which nobody is let in to ask. */
    private void passPause() throws SQLException {
        scene.execute("UPDATE oncegate_record SET result_until = 0 WHERE state = 4");
    }

    private RecordState atFast(Call<?> call) {
        return memory.find(call.key().id()).map(Entry::state).orElse(RecordState.FREE);
    }

    private Entry atJudge(Call<?> call) {
        return judge.find(call.key().id()).orElseThrow();
    }

    @Test
    @DisplayName("an unknown outcome is told by the judge alone, with the time to come again, and nothing runs")
    void onlyTheJudgeTells() throws Exception {
        Call<String> call = newCall(LATER);
        timeOut(call);
        for (int i = 0; i < 3; i++) {
            Outcome<String> outcome = run(call, "again");
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Outcome.Unknown.class,
                            unknown -> assertThat(unknown.retryAfter()).isPositive());
            assertThat(atFast(call)).isEqualTo(RecordState.FREE);
        }
        assertThat(asks).hasValue(0);
        assertThat(scene.runs).hasValue(0);
        assertThat(scene.see(call)).isEqualTo(RECORD_ONLY);
    }

    @Test
    @DisplayName("what was done is settled at the judge and at once in the fast store, which answers the next one")
    void whatWasDone() throws Exception {
        Call<String> call = newCall(LATER);
        timeOut(call);
        passPause();
        finding = new Finding.Done<>("paid");
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(atFast(call)).isEqualTo(RecordState.SUCCEEDED);
        int before = scene.watch.sent().connections();
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(scene.watch.sent().connections()).as("asked of the database").isEqualTo(before);
        assertThat(scene.see(call)).isEqualTo(RECORD_ONLY);
        assertThat(asks).hasValue(1);
    }

    @Test
    @DisplayName("what was not done runs in the same transaction, and is settled in both stores")
    void whatWasNotDone() throws Exception {
        Call<String> call = newCall(LATER);
        timeOut(call);
        passPause();
        finding = new Finding.NotDone<>();
        assertThat(run(call, "ran")).isEqualTo(new Outcome.Executed<>("ran"));
        assertThat(atFast(call)).isEqualTo(RecordState.SUCCEEDED);
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("ran"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName(
            "while one asks, twins are held in the fast store without a connection, and by the judge where that lost it")
    void twinsAreHeld() throws Exception {
        CountDownLatch asking = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Call<String> call = newCall(LATER, (key, claim) -> {
            asks.incrementAndGet();
            asking.countDown();
            answer.await();
            return new Finding.Done<>("paid");
        });
        timeOut(call);
        passPause();
        CompletableFuture<Outcome<String>> first = CompletableFuture.supplyAsync(() -> {
            try {
                return run(call, "never");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(asking.await(60, TimeUnit.SECONDS)).isTrue();
        int before = scene.watch.sent().connections();
        assertThat(run(call, "twin")).isInstanceOf(Outcome.Held.class);
        assertThat(scene.watch.sent().connections()).isEqualTo(before);
        fast.down(true);
        assertThat(run(call, "twin")).as("with the fast store away").isInstanceOf(Outcome.Held.class);
        fast.heal();
        answer.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(asks).hasValue(1);
        assertThat(scene.runs).hasValue(0);
    }

    @Test
    @DisplayName(
            "a reconciler that throws, says nothing or hangs is counted, over nodes, and leaves the fast store free")
    void oneThatFails() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Reconciler<String> failing = (key, claim) -> {
            switch (asked.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("no answer");
                case 2 -> {
                    return null;
                }
                default -> new CountDownLatch(1).await();
            }
            return new Finding.Done<>("too late");
        };
        Call<String> call = SameTransactionScene.call(
                text().lease(Duration.ofMillis(300))
                        .failures(failure -> FailureKind.NOBODY_KNOWS)
                        .reconciler(failing, LATER.maxAsks(3))
                        .build(),
                newKey());
        timeOut(call);
        try (Oncegate other = node()) {
            for (int i = 1; i <= 3; i++) {
                passPause();
                Oncegate node = i == 2 ? other : ladder;
                assertThat(node.run(call, scene.effect(call.key().value(), "never")))
                        .isInstanceOf(Outcome.Unknown.class);
                assertThat(atJudge(call).asked()).isEqualTo(i);
                assertThat(atFast(call)).isNotEqualTo(RecordState.SUCCEEDED);
            }
        }
        assertThat(events).contains(OnceEvent.Kind.GIVEN_UP);
        passPause();
        assertThat(run(call, "never")).isEqualTo(new Outcome.Unknown<>(call.key(), null, null));
        assertThat(asked).hasValue(3);
        assertThat(scene.runs).hasValue(0);
    }

    @Test
    @DisplayName(
            "after the reply to the commit of what was found is lost, it is looked for, and then told by both stores")
    void theReplyToTheCommitIsLost() throws Exception {
        Call<String> call = newCall(LATER);
        timeOut(call);
        passPause();
        finding = new Finding.Done<>("paid");
        scene.points.fail(CrashPoint.AFTER_COMMIT);
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(atFast(call)).isEqualTo(RecordState.SUCCEEDED);
        assertThat(scene.runs).hasValue(0);
    }

    @Test
    @DisplayName("the fast store away all the time changes nothing")
    void theFastStoreIsDown() throws Exception {
        fast.down(true);
        Call<String> call = newCall(LATER);
        timeOut(call);
        passPause();
        assertThat(run(call, "never")).isInstanceOf(Outcome.Unknown.class);
        passPause();
        finding = new Finding.NotDone<>();
        assertThat(run(call, "ran")).isEqualTo(new Outcome.Executed<>("ran"));
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("ran"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(fast.calls(Method.SETTLE)).isZero();
    }

    @Test
    @DisplayName("it is found out in the background, which writes nothing into the fast store")
    void inTheBackground() throws Exception {
        Call<String> call = newCall(ReconcilePolicy.DEFAULT.pauses(Duration.ofMillis(1), Duration.ofMillis(1)));
        finding = new Finding.Done<>("paid");
        ladder.run(call, scene.effectThenFail(call.key().value(), new TimedOut()));
        Await.until("found out", PATIENCE, () -> atJudge(call).state() == RecordState.SUCCEEDED);
        assertThat(atFast(call)).isEqualTo(RecordState.FREE);
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(atFast(call)).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("an unknown outcome is never purged, is shown to operators, and runs again once it is forgotten")
    void anOperatorForgets() throws Exception {
        Call<String> call = newCall(LATER);
        timeOut(call);
        scene.execute("UPDATE oncegate_record SET fence = 1");
        judge.purge(1000);
        assertThat(atJudge(call).state()).isEqualTo(RecordState.UNKNOWN);
        assertThat(atJudge(call).askAgainAt()).isPositive();
        LadderForget forget = LadderForget.of(memory, judge);
        assertThat(forget.forget(call.key().id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(run(call, "anew")).isEqualTo(new Outcome.Executed<>("anew"));
        assertThat(run(call, "never")).isEqualTo(new Outcome.Replayed<>("anew"));
    }
}
