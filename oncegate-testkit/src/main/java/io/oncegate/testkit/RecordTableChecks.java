package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static io.oncegate.core.spi.HolderAnswer.SETTLED;
import static io.oncegate.testkit.RecordTableChecks.Told.GRANTED;
import static io.oncegate.testkit.RecordTableChecks.Told.HELD;
import static io.oncegate.testkit.RecordTableChecks.Told.MISMATCH;
import static io.oncegate.testkit.RecordTableChecks.Told.NO_RESULT;
import static io.oncegate.testkit.RecordTableChecks.Told.RECONCILE;
import static io.oncegate.testkit.RecordTableChecks.Told.REPLAY;
import static io.oncegate.testkit.RecordTableChecks.Told.TAKEOVER;
import static io.oncegate.testkit.RecordTableChecks.Told.UNKNOWN;
import static io.oncegate.testkit.RecordTableChecks.Told.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testkit.TableScene.Scene;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every cell of the record's table, asked through the second handle and looked at through the first. */
abstract class RecordTableChecks extends RecordStoreFixture {
    /** What a claimant can be told. */
    enum Told {
        GRANTED,
        TAKEOVER,
        HELD,
        MISMATCH,
        REPLAY,
        NO_RESULT,
        RECONCILE,
        UNKNOWN,
        WAITING
    }

    /**
     * A row: the answers to a claim of the same request, to one that can reconcile, to one of another request, and to the
     * holder's renewal, settling (once more, where it is settled), settling with another outcome, and release.
     */
    private record Row(
            TableScene scene,
            Told same,
            Told reconciling,
            Told other,
            HolderAnswer renew,
            HolderAnswer settle,
            HolderAnswer settleOther,
            HolderAnswer release) {}

    private static final List<Row> TABLE = List.of(
            new Row(TableScene.ABSENT, GRANTED, GRANTED, GRANTED, LOST, LOST, LOST, LOST),
            new Row(TableScene.FREE, GRANTED, GRANTED, GRANTED, LOST, LOST, LOST, LOST),
            new Row(TableScene.RUNNING, HELD, HELD, MISMATCH, DONE, DONE, DONE, DONE),
            new Row(TableScene.LEASE_OVER, TAKEOVER, RECONCILE, MISMATCH, DONE, DONE, DONE, DONE),
            new Row(TableScene.LEASE_OVER_FOR_A_RETENTION, GRANTED, GRANTED, GRANTED, LOST, LOST, LOST, LOST),
            new Row(TableScene.SUCCEEDED, REPLAY, REPLAY, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.REFUSED, REPLAY, REPLAY, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.RESULT_DROPPED, NO_RESULT, NO_RESULT, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.RESULT_NEVER_STORABLE, NO_RESULT, NO_RESULT, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.REFUSED_WITHOUT_RESULT, NO_RESULT, NO_RESULT, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.PAST_RETENTION, GRANTED, GRANTED, GRANTED, LOST, LOST, LOST, LOST),
            new Row(TableScene.UNKNOWN, UNKNOWN, RECONCILE, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.UNKNOWN_FOR_A_WHILE, WAITING, WAITING, MISMATCH, SETTLED, DONE, SETTLED, SETTLED),
            new Row(TableScene.RECONCILING, HELD, HELD, MISMATCH, DONE, DONE, DONE, DONE),
            new Row(TableScene.RECONCILER_GONE, UNKNOWN, RECONCILE, MISMATCH, DONE, DONE, DONE, DONE));

    private static final Settlement ANSWER = Settling.succeeded("the answer");

    @TestFactory
    @DisplayName("C41, C46, C49: every cell of the record's table holds")
    Stream<DynamicTest> everyCellOfTheTableHolds() {
        return TABLE.stream().flatMap(this::cells);
    }

    private Stream<DynamicTest> cells(Row row) {
        return Stream.of(
                cell(row, "claim, same request: " + row.same, scene -> claims(row, scene, row.same, scene.asking())),
                cell(
                        row,
                        "claim, same request, able to reconcile: " + row.reconciling,
                        scene -> claims(
                                row, scene, row.reconciling, scene.asking().reconciling())),
                cell(
                        row,
                        "claim, other request: " + row.other,
                        scene -> claims(row, scene, row.other, scene.asking().payload(Asking.OTHER_PAYLOAD))),
                cell(row, "renew by the holder: " + row.renew, scene -> renews(row, scene)),
                cell(
                        row,
                        "settle by the holder: " + row.settle,
                        scene -> settles(row, scene, row.settle, scene.outcomeOr(ANSWER))),
                cell(
                        row,
                        "settle by the holder with another outcome: " + row.settleOther,
                        scene -> settles(row, scene, row.settleOther, otherOutcome(scene))),
                cell(row, "release by the holder: " + row.release, scene -> releases(row, scene)),
                cell(
                        row,
                        "another attempt with the holder's fence: LOST",
                        scene -> refuses(row, scene, otherAttempt(scene))),
                cell(
                        row,
                        "the holder's attempt with an older fence: LOST",
                        scene -> refuses(row, scene, fence(scene, -1))),
                cell(
                        row,
                        "the holder's attempt with a newer fence: LOST",
                        scene -> refuses(row, scene, fence(scene, 1))));
    }

    private DynamicTest cell(Row row, String name, Consumer<Scene> check) {
        return DynamicTest.dynamicTest(row.scene + " | " + name, () -> check.accept(row.scene.set(store(), backend())));
    }

    private void claims(Row row, Scene scene, Told told, Asking asking) {
        Asking asker = asking.anew().lease(Asking.LONG);
        ClaimAnswer answer = asker.at(twin());
        checkTold(scene, told, answer);
        switch (told) {
            case GRANTED, TAKEOVER -> isTheOneHolder(scene, asker, fenceOf(answer));
            case RECONCILE -> isTheOneHolder(scene, asker, fenceOf(answer));
            default -> untouched(row, scene);
        }
    }

    private void isTheOneHolder(Scene scene, Asking asker, long fence) {
        assertThat(fence).isGreaterThan(scene.holder().fence());
        assertThat(asker.anew().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(store().renew(scene.holder(), Asking.LONG)).isEqualTo(LOST);
        assertThat(store().renew(asker.ref(fence), Asking.LONG)).isEqualTo(DONE);
    }

    private void renews(Row row, Scene scene) {
        assertThat(twin().renew(scene.holder(), Asking.LONG)).isEqualTo(row.renew);
        if (row.renew == DONE) {
            assertThat(scene.asking().anew().at(store()))
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Held.class,
                            held -> assertThat(held.remaining()).isLessThanOrEqualTo(Asking.LONG));
            assertThat(store().release(scene.holder())).isEqualTo(DONE);
        } else {
            untouched(row, scene);
        }
    }

    private void settles(Row row, Scene scene, HolderAnswer expected, Settlement settlement) {
        assertThat(twin().settle(scene.holder(), settlement)).isEqualTo(expected);
        if (expected == DONE) {
            checkTold(new Scene(scene.asking(), scene.holder(), settlement), answerOf(settlement), claimedAgain(scene));
            assertThat(scene.asking().payload(Asking.OTHER_PAYLOAD).at(store()))
                    .isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        } else {
            untouched(row, scene);
        }
    }

    private void releases(Row row, Scene scene) {
        assertThat(twin().release(scene.holder())).isEqualTo(row.release);
        if (row.release == DONE) {
            Asking next = scene.asking().anew().payload(Asking.OTHER_PAYLOAD).lease(Asking.LONG);
            ClaimAnswer answer = next.at(store());
            checkTold(scene, GRANTED, answer);
            isTheOneHolder(scene, next, fenceOf(answer));
        } else {
            untouched(row, scene);
        }
    }

    private void refuses(Row row, Scene scene, ClaimRef stranger) {
        assertThat(twin().renew(stranger, Asking.LONG)).as("renew").isEqualTo(LOST);
        assertThat(twin().settle(stranger, Settling.succeeded("a stranger's")))
                .as("settle")
                .isEqualTo(LOST);
        assertThat(twin().settle(stranger, scene.outcomeOr(ANSWER)))
                .as("settle again")
                .isEqualTo(LOST);
        assertThat(twin().release(stranger)).as("release").isEqualTo(LOST);
        untouched(row, scene);
    }

    /** The record still gives its row's answers, and its holder's claim is as alive as it was. */
    private void untouched(Row row, Scene scene) {
        if (row.same == HELD) {
            assertThat(store().renew(scene.holder(), Asking.LONG)).isEqualTo(DONE);
        }
        checkTold(scene, row.same, claimedAgain(scene));
    }

    private ClaimAnswer claimedAgain(Scene scene) {
        return scene.asking().anew().at(store());
    }

    private static void checkTold(Scene scene, Told told, ClaimAnswer answer) {
        switch (told) {
            case GRANTED -> assertThat(answer).isEqualTo(new ClaimAnswer.Granted(fenceOf(answer), false));
            case TAKEOVER -> assertThat(answer).isEqualTo(new ClaimAnswer.Granted(fenceOf(answer), true));
            case RECONCILE -> assertThat(answer).isInstanceOf(ClaimAnswer.Reconcile.class);
            case HELD ->
                assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimAnswer.Held.class,
                                held -> assertThat(held.remaining()).isBetween(java.time.Duration.ZERO, Asking.LONG));
            case MISMATCH -> assertThat(answer).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
            case REPLAY ->
                assertThat(answer)
                        .isEqualTo(Untimed.replay(
                                outcome(scene, Settlement::state), outcome(scene, Settlement::result), false));
            case NO_RESULT -> assertThat(answer).isEqualTo(Untimed.noResult(outcome(scene, Settlement::state), false));
            case UNKNOWN -> assertThat(answer).isEqualTo(Untimed.unknown());
            case WAITING ->
                assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimAnswer.Unknown.class,
                                unknown -> assertThat(unknown.pause()).isPositive());
        }
    }

    private static <T> T outcome(Scene scene, Function<Settlement, @org.jspecify.annotations.Nullable T> part) {
        Settlement outcome = scene.outcome();
        T value = outcome == null ? null : part.apply(outcome);
        if (value == null) {
            throw new AssertionError("the scene has no such outcome");
        }
        return value;
    }

    private static Settlement otherOutcome(Scene scene) {
        return scene.outcomeOr(ANSWER).state() == RecordState.REFUSED
                ? Settling.succeeded("quite another")
                : Settling.refused("quite another");
    }

    private static Told answerOf(Settlement settlement) {
        if (settlement.state() == RecordState.UNKNOWN) {
            return settlement.resultRetention().isZero() ? UNKNOWN : WAITING;
        }
        return settlement.result() == null ? NO_RESULT : REPLAY;
    }

    private static long fenceOf(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return granted.fence();
        }
        assertThat(answer).isInstanceOf(ClaimAnswer.Reconcile.class);
        return ((ClaimAnswer.Reconcile) answer).fence();
    }

    private static ClaimRef otherAttempt(Scene scene) {
        return new ClaimRef(scene.asking().id(), scene.holder().fence(), AttemptId.random());
    }

    private static ClaimRef fence(Scene scene, long step) {
        return new ClaimRef(
                scene.asking().id(),
                scene.holder().fence() + step,
                scene.holder().attempt());
    }
}
