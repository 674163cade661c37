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
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testkit.StormReport;
import io.oncegate.testsupport.Databases;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine in same-transaction mode, with transactions of its own, on each database and driver. */
@ParameterizedClass
@EnumSource(Databases.class)
class SameTransactionIT extends OnEachDatabase {
    SameTransactionIT(Databases kind) {
        super(kind);
    }

    @Test
    @DisplayName("G4: values, nothing and null are replayed as they were")
    void replaysWhatWasReturned() throws SQLException {
        Object[] values = {"text", "", 0, false, 0L, new byte[] {0, -1, 127}, new byte[0]};
        for (Object value : values) {
            assertReplayed(value.getClass(), value);
        }
        assertReplayed(String.class, null);
        assertReplayed(Void.class, null);
    }

    @SuppressWarnings("unchecked")
    private static <T> void assertReplayed(Class<? extends T> type, T value) throws SQLException {
        Operation<T> operation =
                Operation.named("any").returning((Class<T>) type).build();
        String key = newKey();
        Call<T> call = call(operation, key);
        assertThat(scene.once.run(call, scene.effect(key, value))).isEqualTo(new Outcome.Executed<>(value));
        assertThat(scene.once.run(call, scene.effect(key, value)))
                .isInstanceOfSatisfying(
                        Outcome.Replayed.class, r -> assertThat(r.value()).isEqualTo(value));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a refusal is kept and thrown again typed, while the business's rows are gone")
    void keepsARefusalWithoutTheBusinesssRows() throws Exception {
        Operation<String> operation =
                text().refusal("sold-out", SoldOut.class, SoldOut::new).build();
        Call<String> call = call(operation, newKey());

        Outcome<String> first =
                scene.once.run(call, scene.effectThenFail(call.key().value(), new SoldOut("no seat left")));
        assertThat(first)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class, r -> assertThat(r.replayed()).isFalse());
        assertThat(scene.see(call)).isEqualTo(RECORD_ONLY);

        Outcome<String> again = run(call, "a seat");
        assertThat(again)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class, r -> assertThat(r.replayed()).isTrue());
        assertThatThrownBy(again::orElseThrow).isInstanceOf(SoldOut.class).hasMessage("no seat left");
        assertThat(scene.runs).hasValue(1);
    }

    @Test
    @DisplayName("an outcome that nobody knows is kept, and not run again")
    void keepsAnUnknownOutcome() throws Exception {
        Operation<String> operation =
                text().failures(failure -> FailureKind.NOBODY_KNOWS).build();
        Call<String> call = call(operation, newKey());
        IOException timedOut = new IOException("the remote side did not answer");

        assertThat(scene.once.run(call, scene.effectThenFail(call.key().value(), timedOut)))
                .isEqualTo(new Outcome.Unknown<>(call.key(), timedOut, null));
        assertThat(scene.see(call)).isEqualTo(RECORD_ONLY);
        assertThat(run(call, "again")).isEqualTo(new Outcome.Unknown<>(call.key(), null, null));
        assertThat(scene.runs).hasValue(1);
    }

    @Test
    @DisplayName("G6: an exception rolls back record and effect, and is thrown as it is")
    void anExceptionUndoesEverything() throws Exception {
        Call<String> call = call(text().build(), newKey());
        IOException failure = new IOException("no");

        assertThatThrownBy(() ->
                        scene.once.run(call, scene.effectThenFail(call.key().value(), failure)))
                .isSameAs(failure);
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(run(call, "again")).isEqualTo(new Outcome.Executed<>("again"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("G8: a result over the size limit is given once, and never run again")
    void aResultThatIsTooLargeIsDoneWithoutResult() throws SQLException {
        Call<String> call = call(text().maxResultBytes(10).build(), newKey());
        assertThat(run(call, "more than ten bytes")).isInstanceOf(Outcome.Executed.class);
        assertThat(run(call, "more than ten bytes")).isEqualTo(new Outcome.NoResult<>(call.key(), false));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a result of a megabyte is replayed as it was")
    void aLargeResultIsReplayed() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        String large = "x".repeat(1_000_000);
        assertThat(run(call, large)).isInstanceOf(Outcome.Executed.class);
        assertThat(run(call, "other")).isEqualTo(new Outcome.Replayed<>(large));
    }

    @Test
    @DisplayName("C46, G5: another payload is refused while running and after, naming what differs")
    void refusesAnotherPayload() throws SQLException {
        Operation<String> operation = text().build();
        Call<String> call = call(operation, newKey());
        Call<String> dearer = call(operation, call.key().value(), Fingerprint.of("99"));
        assertThat(run(call, "ten")).isInstanceOf(Outcome.Executed.class);
        assertThat(run(dearer, "99")).isEqualTo(new Outcome.Mismatch<>(call.key(), List.of("payload")));
        assertThat(run(call, "ten")).isEqualTo(new Outcome.Replayed<>("ten"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("C89: a record of another fingerprint version is understood in both directions")
    void understandsOtherFingerprintVersions() throws SQLException {
        Fingerprint v1 = Fingerprint.builder().version(1).text("amount", "10").build();
        Fingerprint v2 = Fingerprint.builder()
                .version(2)
                .text("amount", "10")
                .text("currency", "EUR")
                .build()
                .alsoKnownAs(v1);
        Fingerprint other =
                Fingerprint.builder().version(1).text("amount", "99").build();
        for (boolean late : new boolean[] {false, true}) {
            Operation<String> operation = (late ? text().recordLate() : text()).build();
            String old = newKey();
            assertThat(run(call(operation, old, v1), "old")).isInstanceOf(Outcome.Executed.class);
            assertThat(run(call(operation, old, v2), "new")).isEqualTo(new Outcome.Replayed<>("old"));
            String recent = newKey();
            assertThat(run(call(operation, recent, v2), "new")).isInstanceOf(Outcome.Executed.class);
            assertThat(run(call(operation, recent, v1), "old")).isEqualTo(new Outcome.Replayed<>("new"));
            assertThat(run(call(operation, recent, other), "99")).isInstanceOf(Outcome.Mismatch.class);
            assertThat(scene.see(call(operation, recent))).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("G8: a key's birth time refuses to run it where no record answers")
    void refusesKeysThatAreTooOld() throws SQLException {
        Operation<String> timed =
                text().birthTime(Duration.ofHours(1), Duration.ofMinutes(10)).build();
        Instant now = Instant.now();
        Call<String> old = call(timed, bornAt(now.minus(Duration.ofHours(2))));
        assertThat(run(old, "old")).isEqualTo(new Outcome.Expired<>(old.key(), false));
        Call<String> early = call(timed, bornAt(now.plus(Duration.ofHours(1))));
        assertThat(run(early, "early")).isEqualTo(new Outcome.Expired<>(early.key(), true));
        assertThat(scene.see(old)).isEqualTo(NOTHING);
        assertThat(scene.runs).hasValue(0);

        Call<String> fresh = call(timed, bornAt(now));
        assertThat(run(fresh, "fresh")).isEqualTo(new Outcome.Executed<>("fresh"));
        Call<String> untimed = call(text().build(), bornAt(now.minus(Duration.ofHours(3))));
        assertThat(run(untimed, "kept")).isInstanceOf(Outcome.Executed.class);
        assertThat(run(call(timed, untimed.key().value()), "again")).isEqualTo(new Outcome.Replayed<>("kept"));
    }

    @Test
    @DisplayName("G8: a call's own birth limit, such as a one-time token's, refuses to run it where no record answers")
    void aCallsOwnBirthLimitHolds() throws SQLException {
        Operation<String> operation = text().build();
        Duration limit = Duration.ofMinutes(10);
        Duration tolerance = Duration.ofMinutes(5);
        Instant now = Instant.now();
        Call<String> old = call(operation, newKey()).bornWithin(now.minus(Duration.ofMinutes(11)), limit, tolerance);
        assertThat(run(old, "too late")).isEqualTo(new Outcome.Expired<>(old.key(), false));
        Call<String> early = call(operation, newKey()).bornWithin(now.plus(Duration.ofMinutes(6)), limit, tolerance);
        assertThat(run(early, "too early")).isEqualTo(new Outcome.Expired<>(early.key(), true));
        assertThat(scene.see(old)).isEqualTo(NOTHING);
        assertThat(scene.see(early)).isEqualTo(NOTHING);

        Call<String> plain = call(operation, newKey());
        Call<String> good = plain.bornWithin(now.plus(Duration.ofMinutes(4)), limit, tolerance);
        assertThat(run(good, "in time")).isEqualTo(new Outcome.Executed<>("in time"));
        Call<String> late = plain.bornWithin(now.minus(Duration.ofMinutes(11)), limit, tolerance);
        assertThat(run(late, "again")).as("its record answers").isEqualTo(new Outcome.Replayed<>("in time"));
        assertThat(scene.see(good)).isEqualTo(ONCE);
    }

    private static String bornAt(Instant birth) {
        UUID random = UUID.randomUUID();
        return new UUID(
                        birth.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & 0xfff),
                        random.getLeastSignificantBits())
                .toString();
    }

    @Test
    @DisplayName("C40, G1: of 64 copies at once one runs, and all get its answer")
    void copiesAtOnceRunOnce() throws SQLException {
        Call<String> call = call(text().waitUpTo(Duration.ofSeconds(50)).build(), newKey());
        StormReport<Outcome<String>> report =
                DuplicateStorm.of(64, () -> run(call, Thread.currentThread().getName()));
        assertThat(report.allReturned()).hasSize(64);
        assertThat(report.count(o -> o instanceof Outcome.Executed)).isOne();
        assertThat(report.returned().stream().map(Outcome::orElseThrow).distinct())
                .hasSize(1);
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(scene.runs).hasValue(1);
    }

    @Test
    @DisplayName("a copy is told to come back while the first runs, or waits for its outcome")
    void aCopyIsHeldOrWaits() throws Exception {
        String key = newKey();
        Call<String> call = call(text().build(), key);
        Call<String> waiting = call(text().waitUpTo(Duration.ofSeconds(60)).build(), key);
        Claim<String> first = ((Begun.Started<String>) scene.once.begin(call)).claim();
        assertThat(run(call, "copy")).isInstanceOf(Outcome.Held.class);
        CompletableFuture<Outcome<String>> copy = CompletableFuture.supplyAsync(() -> {
            try {
                return run(waiting, "copy");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        scene.effect(key, "").run(first);
        assertThat(copy).isNotDone();
        assertThat(first.succeed("first")).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(copy.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("one statement without a result, two with one, one where it is written late, one for a replay")
    void countsRoundTrips() throws SQLException {
        Operation<Void> nothing = Operation.named("no.result").build();
        Operation<String> refusing =
                text().refusal("sold-out", SoldOut.class, SoldOut::new).build();
        // H2 runs in this process, and sets and resets the lock wait in further statements.
        int more = kind == Databases.H2 ? 3 : 0;
        int business = 2;

        assertThat(sent(nothing, newKey(), null)).isEqualTo(new Watch.Sent(1, business + 1 + more, 0, 1, 0));
        String key = newKey();
        assertThat(sent(text().build(), key, "v")).isEqualTo(new Watch.Sent(1, business + 2 + more, 0, 1, 0));
        assertThat(sent(text().recordLate().build(), newKey(), "v"))
                .isEqualTo(new Watch.Sent(1, business + 1 + more, 0, 1, 0));
        assertThat(sent(refusing, newKey(), "v")).isEqualTo(new Watch.Sent(1, business + 2 + more, 1, 1, 0));
        if (kind != Databases.H2) {
            assertThat(sent(text().build(), key, "v")).isEqualTo(new Watch.Sent(1, 1, 0, 0, 1));
        }
    }

    private static <T> Watch.Sent sent(Operation<T> operation, String key, T value) throws SQLException {
        Watch.Sent before = scene.watch.sent();
        scene.once.run(call(operation, key), scene.effect(key, value));
        return scene.watch.sent().since(before);
    }

    @Test
    @DisplayName("an asynchronous business commits when its stage completes")
    void anAsynchronousBusinessCommitsAtItsEnd() throws Exception {
        Call<String> call = call(text().build(), newKey());
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> answer = scene.once
                .runAsync(call, claim -> {
                    scene.effect(call.key().value(), "").run(claim);
                    return end;
                })
                .toCompletableFuture();
        while (scene.runs.get() == 0) {
            Thread.onSpinWait();
        }
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(run(call, "copy")).isInstanceOf(Outcome.Held.class);
        end.complete("value");
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("value"));
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(run(call, "copy")).isEqualTo(new Outcome.Replayed<>("value"));
    }

    @Test
    @DisplayName("an asynchronous failure rolls back")
    void anAsynchronousFailureRollsBack() throws Exception {
        Call<String> call = call(text().build(), newKey());
        IOException failure = new IOException("no");
        Outcome<String> outcome = scene.once
                .runAsync(call, claim -> {
                    scene.effect(call.key().value(), "").run(claim);
                    return CompletableFuture.failedFuture(failure);
                })
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        assertThat(outcome).isEqualTo(new Outcome.Failed<>(failure));
        assertThat(scene.see(call)).isEqualTo(NOTHING);
    }

    @Test
    @DisplayName("a claim may be ended on another thread, once")
    void aClaimMovesBetweenThreads() throws Exception {
        Call<String> call = call(text().build(), newKey());
        Claim<String> claim = ((Begun.Started<String>) scene.once.begin(call)).claim();
        scene.effect(call.key().value(), "").run(claim);
        assertThat(claim.live()).isTrue();
        Outcome<String> outcome =
                CompletableFuture.supplyAsync(() -> claim.succeed("elsewhere")).get(60, TimeUnit.SECONDS);
        assertThat(outcome).isEqualTo(new Outcome.Executed<>("elsewhere"));
        assertThat(claim.live()).isFalse();
        assertThatThrownBy(() -> claim.succeed("twice")).isInstanceOf(IllegalStateException.class);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a released claim leaves nothing")
    void aReleasedClaimLeavesNothing() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        Claim<String> claim = ((Begun.Started<String>) scene.once.begin(call)).claim();
        scene.effect(call.key().value(), "").run(claim);
        claim.release();
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(run(call, "next")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    @DisplayName("what belongs to claimed mode is refused before anything runs")
    void refusesPoliciesOfTheOtherMode() {
        Operation<String> open =
                text().whenStoreDown(WhenStoreDown.RUN_UNPROTECTED).build();
        assertThatThrownBy(() -> run(call(open, newKey()), "never")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> scene.once
                        .runAsync(call(open, newKey()), claim -> CompletableFuture.completedFuture("never"))
                        .toCompletableFuture()
                        .get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }
}
