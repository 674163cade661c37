package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.codec.BasicCodec;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.ResultCodecException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testkit.Blockade;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testkit.TestClock;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.lang.reflect.Type;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the ladder gives again, whichever of its stores answers, and what it does around odd calls. */
class LadderAnswersTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Seen ONCE = new Seen(1, 1, 1);

    private final TestClock clock = new TestClock();
    private final MemoryRecordStore memory = new MemoryRecordStore(1000, 1 << 20, clock, Duration.ofMillis(1));
    private final FaultyRecordStore fast = new FaultyRecordStore(memory);
    private boolean readable = true;
    private SameTransactionScene scene;
    private Oncegate ladder;

    @BeforeEach
    void open() throws SQLException {
        scene = new SameTransactionScene(Databases.H2);
        ladder = scene.ladder(fast, () -> null).codec(new Codec()).build();
    }

    @AfterEach
    void close() {
        ladder.close();
        scene.close();
    }

    /** One that a new version can have forgotten how to read. */
    private final class Codec implements ResultCodec {
        private final BasicCodec basic = new BasicCodec();

        @Override
        public String id() {
            return "test";
        }

        @Override
        public boolean supports(Type type) {
            return basic.supports(type);
        }

        @Override
        public byte[] encode(Object value, Type type) {
            return basic.encode(value, type);
        }

        @Override
        public Object decode(byte[] bytes, Type type) {
            if (!readable) {
                throw new ResultCodecException("written by another version", null);
            }
            return basic.decode(bytes, type);
        }
    }

    private static Operation.Builder<String> operation() {
        return text().lease(LEASE);
    }

    private <T> Outcome<T> run(Call<T> call, T value) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), value));
    }

    private RecordState atFast(Call<?> call) {
        return memory.find(call.key().id()).map(Entry::state).orElse(RecordState.FREE);
    }

    /** Asks the fast store, then the judge, then the fast store that was refilled. */
    private <T> void assertAnsweredByBoth(Call<T> call, Outcome<T> answer) throws SQLException {
        assertThat(run(call, null)).as("by the fast store").isEqualTo(answer);
        memory.forget(call.key().id());
        assertThat(run(call, null)).as("by the judge").isEqualTo(answer);
        int before = scene.watch.sent().connections();
        assertThat(run(call, null)).as("by the fast store again").isEqualTo(answer);
        assertThat(scene.watch.sent().connections()).isEqualTo(before);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "null", "\0", "日本 🎫"})
    @DisplayName("C48: null, empty, blank and odd text are given again as they are by both stores")
    void oddValues(String value) throws SQLException {
        Call<String> call = call(operation().build(), newKey());
        assertThat(run(call, value)).isEqualTo(new Outcome.Executed<>(value));
        assertAnsweredByBoth(call, new Outcome.Replayed<>(value));
    }

    @Test
    @DisplayName("C48: an operation without a result is done once, and both stores say so")
    void noResult() throws SQLException {
        Call<Void> call = call(Operation.named("nothing").lease(LEASE).build(), newKey());
        assertThat(run(call, null)).isEqualTo(new Outcome.Executed<>(null));
        assertAnsweredByBoth(call, new Outcome.Replayed<>(null));
    }

    @Test
    @DisplayName("a result over the size limit goes to the first caller; both stores say that it is done")
    void aLargeResult() throws SQLException {
        Call<String> call = call(operation().maxResultBytes(1000).build(), newKey());
        String large = "x".repeat(1_000_000);
        assertThat(run(call, large)).isEqualTo(new Outcome.Executed<>(large));
        assertAnsweredByBoth(call, new Outcome.NoResult<>(call.key(), false));
    }

    @Test
    @DisplayName("C95: a result that can no longer be read is done, whichever store has it, and never run again")
    void anUnreadableResult() throws SQLException {
        Call<String> call = call(operation().build(), newKey());
        run(call, "old");
        readable = false;
        assertAnsweredByBoth(call, new Outcome.NoResult<>(call.key(), false));
    }

    @Test
    @DisplayName("the clocks of the two stores are minutes or years apart, both ways: the same answers, one effect")
    void clocksApart() throws SQLException {
        Instant now = Instant.now();
        Duration tenMinutes = Duration.ofMinutes(10);
        for (Instant time : new Instant[] {
            now.minus(tenMinutes), now.plus(tenMinutes), Instant.parse("2001-01-01T00:00:00Z"), TestClock.START
        }) {
            clock.set(time);
            Call<String> young = call(operation().build(), newKey()).bornWithin(now, Duration.ofHours(1), tenMinutes);
            assertThat(run(young, "first")).isEqualTo(new Outcome.Executed<>("first"));
            assertAnsweredByBoth(young, new Outcome.Replayed<>("first"));
            Call<String> old = call(operation().build(), newKey())
                    .bornWithin(now.minus(Duration.ofHours(2)), Duration.ofHours(1), tenMinutes);
            assertThat(run(old, "never")).isInstanceOf(Outcome.Expired.class);
        }
    }

    @Test
    @DisplayName("an asynchronous business is settled at its end in both stores, and its failure frees both")
    void asynchronous() throws Exception {
        Call<String> call = call(operation().build(), newKey());
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Claim<String>> begun = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> outcome = ladder.runAsync(call, claim -> {
                    begun.complete((Claim<String>) claim);
                    return stage;
                })
                .toCompletableFuture();
        Claim<String> claim = begun.get(60, TimeUnit.SECONDS);
        scene.<String>effect(call.key().value(), "done").run(claim);
        assertThat(run(call, "twin")).isInstanceOf(Outcome.Held.class);
        stage.complete("done");
        assertThat(outcome.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("done"));
        assertAnsweredByBoth(call, new Outcome.Replayed<>("done"));

        Call<String> failing = call(operation().build(), newKey());
        assertThat(ladder.runAsync(
                                failing,
                                unused -> CompletableFuture.<String>failedFuture(new IllegalStateException("no")))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(Outcome.Failed.class);
        assertThat(atFast(failing)).isEqualTo(RecordState.FREE);
        assertThat(run(failing, "again")).isEqualTo(new Outcome.Executed<>("again"));
    }

    @Test
    @DisplayName(
            "an operation within another one's business has a transaction of its own, and a second call of the same key is held")
    void nested() throws SQLException {
        Call<String> outer = call(operation().build(), newKey());
        Call<String> inner = call(operation().build(), newKey());
        assertThatThrownBy(() -> ladder.run(outer, claim -> {
                    assertThat(run(outer, "itself")).isInstanceOf(Outcome.Held.class);
                    assertThat(run(inner, "inner")).isEqualTo(new Outcome.Executed<>("inner"));
                    throw new IllegalStateException("the outer one fails");
                }))
                .hasMessage("the outer one fails");
        assertThat(atFast(outer)).isEqualTo(RecordState.FREE);
        assertAnsweredByBoth(inner, new Outcome.Replayed<>("inner"));
        assertThat(run(outer, "outer")).isEqualTo(new Outcome.Executed<>("outer"));
    }

    @Test
    @DisplayName("one that waits is given the answer of the one that runs, or runs itself if that fails")
    void waiting() throws Exception {
        Operation<String> patient = operation().waitUpTo(LIMIT).build();
        for (boolean fails : new boolean[] {false, true}) {
            Call<String> call = call(patient, newKey());
            Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
            int asked = fast.calls(Method.CLAIM);
            CompletableFuture<Outcome<String>> waiter = CompletableFuture.supplyAsync(() -> {
                try {
                    return run(call, "waiter");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until("it waits", LIMIT, () -> fast.calls(Method.CLAIM) > asked + 1);
            if (fails) {
                claim.release();
            } else {
                claim.succeed(scene.<String>effect(call.key().value(), "first").run(claim));
            }
            assertThat(waiter.get(60, TimeUnit.SECONDS))
                    .isEqualTo(fails ? new Outcome.Executed<>("waiter") : new Outcome.Replayed<>("first"));
            assertThat(scene.see(call)).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("one that waits goes on at the judge when the fast store goes away, and when it loses everything")
    void waitingWithoutTheFastStore() throws Exception {
        for (boolean away : new boolean[] {false, true}) {
            Call<String> call = call(operation().waitUpTo(LIMIT).build(), newKey());
            Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
            int asked = fast.calls(Method.CLAIM);
            CompletableFuture<Outcome<String>> waiter = CompletableFuture.supplyAsync(() -> {
                try {
                    return run(call, "waiter");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until("it waits", LIMIT, () -> fast.calls(Method.CLAIM) > asked + 1);
            if (away) {
                fast.down(true);
            } else {
                clock.advance(LEASE);
            }
            int judged = scene.points.passed(CrashPoint.BEFORE_CLAIM);
            Await.until("the judge is asked", LIMIT, () -> scene.points.passed(CrashPoint.BEFORE_CLAIM) > judged + 1);
            claim.succeed(scene.<String>effect(call.key().value(), "first").run(claim));
            assertThat(waiter.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("first"));
            assertThat(scene.see(call)).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("after a renewal without an answer, or with one on its way, nothing is settled: it may still arrive")
    void aRenewalWithoutAnAnswer() throws Exception {
        Operation<String> brief = text().lease(Duration.ofMillis(1500)).build();
        for (boolean onItsWay : new boolean[] {false, true}) {
            Call<String> call = call(brief, newKey());
            Blockade renewal = onItsWay ? fast.pauseNextReply(Method.RENEW) : null;
            if (renewal == null) {
                fast.loseReplies(Method.RENEW, 1);
            }
            int renewed = fast.calls(Method.RENEW);
            Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
            if (renewal != null) {
                renewal.awaitArrival();
            } else {
                // The next one is begun when the failure of the first is known, and answered.
                Await.until("it has failed", LIMIT, () -> fast.calls(Method.RENEW) > renewed + 1);
            }
            claim.succeed(scene.<String>effect(call.key().value(), "first").run(claim));
            assertThat(atFast(call)).isNotEqualTo(RecordState.SUCCEEDED);
            if (renewal != null) {
                renewal.release();
            }
            clock.advance(LEASE);
            assertAnsweredByBoth(call, new Outcome.Replayed<>("first"));
        }
    }

    @Test
    @DisplayName(
            "a repetition is not refused for an impostor's claim when the run that held the judge has ended meanwhile")
    void anImpostorWhileItRuns() throws Exception {
        Call<String> call = call(operation().build(), newKey());
        Claim<String> claim = ((Begun.Started<String>) ladder.begin(call)).claim();
        clock.advance(LEASE); // the fast store has lost it
        Call<String> other = call(call.operation(), call.key().value(), Fingerprint.of("11"));
        Blockade impostor = scene.points.block(CrashPoint.BEFORE_CLAIM);
        CompletableFuture<Begun<String>> refused = CompletableFuture.supplyAsync(() -> ladder.begin(other));
        impostor.awaitArrival();
        Blockade first = fast.pauseNextReply(Method.CLAIM);
        CompletableFuture<Begun<String>> again = CompletableFuture.supplyAsync(() -> ladder.begin(call));
        first.awaitArrival();
        Blockade second = fast.pauseNext(Method.CLAIM);
        first.release();
        second.awaitArrival();
        claim.succeed(scene.<String>effect(call.key().value(), "first").run(claim));
        second.release();
        assertThat(again.get(60, TimeUnit.SECONDS)).isEqualTo(new Begun.Answered<>(new Outcome.Replayed<>("first")));
        impostor.release();
        assertThat(((Begun.Answered<String>) refused.get(60, TimeUnit.SECONDS)).outcome())
                .isInstanceOf(Outcome.Mismatch.class);
    }

    @Test
    @DisplayName("a failure that the operation's own judgement throws again leaves nothing open")
    void aJudgementThatThrows() throws Exception {
        Operation<String> operation = operation()
                .failures(failure -> {
                    throw (RuntimeException) failure;
                })
                .build();
        Call<String> call = call(operation, newKey());
        IllegalStateException failure = new IllegalStateException("no");
        assertThat(ladder.run(call, scene.effectThenFail(call.key().value(), failure)))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(atFast(call)).isEqualTo(RecordState.FREE);
        assertThat(scene.see(call)).isEqualTo(new Seen(0, 0, 1));
    }
}
