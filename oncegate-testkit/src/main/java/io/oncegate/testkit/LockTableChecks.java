package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static io.oncegate.testkit.LockTableChecks.Told.AGAIN;
import static io.oncegate.testkit.LockTableChecks.Told.GRANTED;
import static io.oncegate.testkit.LockTableChecks.Told.HELD;
import static io.oncegate.testkit.LockTableChecks.Told.IN_WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testkit.LockScene.Scene;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every cell of the lock's table, asked through the second handle and looked at through the first. */
abstract class LockTableChecks extends LockStoreFixture {
    /** What an asker can be told. */
    enum Told {
        GRANTED,
        AGAIN,
        HELD,
        IN_WINDOW
    }

    /**
     * A row: the answers to another attempt and to the holder's attempt, and to the holder's renewal, its end, and whether it
     * can pass the lock on.
     */
    private record Row(LockScene scene, Told other, Told same, HolderAnswer renew, HolderAnswer end, boolean passes) {}

    private static final List<Row> TABLE = List.of(
            new Row(LockScene.ABSENT, GRANTED, GRANTED, LOST, LOST, false),
            new Row(LockScene.HELD, HELD, AGAIN, DONE, DONE, true),
            new Row(LockScene.HELD_IN_WINDOW, HELD, AGAIN, DONE, DONE, false),
            new Row(LockScene.HELD_PAST_WINDOW, HELD, AGAIN, DONE, DONE, true),
            new Row(LockScene.LEASE_OVER, GRANTED, GRANTED, LOST, LOST, false),
            new Row(LockScene.LEASE_OVER_IN_WINDOW, HELD, HELD, LOST, LOST, false),
            new Row(LockScene.COMPLETED, GRANTED, GRANTED, LOST, DONE, false),
            new Row(LockScene.COMPLETED_IN_WINDOW, IN_WINDOW, IN_WINDOW, LOST, DONE, false),
            new Row(LockScene.COMPLETED_PAST_WINDOW, GRANTED, GRANTED, LOST, DONE, false),
            new Row(LockScene.RELEASED, GRANTED, GRANTED, LOST, DONE, false),
            new Row(LockScene.RELEASED_IN_WINDOW, GRANTED, GRANTED, LOST, DONE, false),
            new Row(LockScene.PASSED_ON, HELD, HELD, LOST, LOST, false));

    @TestFactory
    @DisplayName("C06, C11: every cell of the lock's table holds")
    Stream<DynamicTest> everyCellOfTheLocksTableHolds() {
        return TABLE.stream().flatMap(this::cells);
    }

    private Stream<DynamicTest> cells(Row row) {
        return Stream.of(
                cell(
                        row,
                        "acquire by another: " + row.other,
                        scene -> acquires(row, scene, row.other, scene.asking().anew())),
                cell(
                        row,
                        "acquire by the holder: " + row.same,
                        scene -> acquires(row, scene, row.same, scene.asking())),
                cell(
                        row,
                        "acquire for a window by another: " + row.other,
                        scene -> acquires(
                                row, scene, row.other, scene.asking().anew().window(LockAsking.LONG))),
                cell(row, "renew by the holder: " + row.renew, scene -> renews(row, scene)),
                cell(row, "release by the holder: " + row.end, scene -> ends(row, scene, LockEnd.released())),
                cell(row, "complete by the holder: " + row.end, scene -> ends(row, scene, LockEnding.COMPLETED)),
                cell(row, "pass by the holder: " + row.passes, scene -> passes(row, scene)),
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
        return DynamicTest.dynamicTest(
                row.scene + " | " + name,
                () -> before(abilities().sweepMargin(), () -> {
                    Scene scene = row.scene.set(store(), backend());
                    check.accept(scene);
                    return scene;
                }));
    }

    private void acquires(Row row, Scene scene, Told told, LockAsking asker) {
        LockAsking asking = asker.lease(LockAsking.LONG);
        LockAnswer answer = asking.at(twin());
        checkTold(scene, told, answer);
        if (told == GRANTED) {
            isTheOneHolder(scene, asking.ref(((LockAnswer.Granted) answer).fence()));
        } else {
            untouched(row, scene);
        }
    }

    /** Only this one holds it. */
    private void isTheOneHolder(Scene scene, ClaimRef holder) {
        assertThat(holder.fence()).isGreaterThan(scene.present().fence());
        assertThat(scene.asking().anew().at(store()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class, held -> assertThat(held.fence()).isEqualTo(holder.fence()));
        assertThat(store().renew(scene.holder(), LockAsking.LONG)).isEqualTo(LOST);
        assertThat(store().end(scene.holder(), LockEnd.released())).isEqualTo(LOST);
        assertThat(store().renew(holder, LockAsking.LONG)).isEqualTo(DONE);
        LockEnding.done(store(), holder, LockEnd.released());
    }

    private void renews(Row row, Scene scene) {
        assertThat(twin().renew(scene.holder(), LockAsking.LONG)).isEqualTo(row.renew);
        untouched(row, scene);
    }

    private void ends(Row row, Scene scene, LockEnd end) {
        boolean endedNow = row.renew == DONE;
        assertThat(twin().end(scene.holder(), end)).isEqualTo(row.end);
        if (!endedNow) {
            untouched(row, scene);
            return;
        }
        assertThat(store().renew(scene.holder(), LockAsking.LONG)).isEqualTo(LOST);
        boolean refuses = end.completed() && row.scene == LockScene.HELD_IN_WINDOW;
        checkTold(scene, refuses ? IN_WINDOW : GRANTED, scene.asking().anew().at(store()));
    }

    private void passes(Row row, Scene scene) {
        LockAsking next = scene.asking().anew().window(null).lease(LockAsking.LONG);
        OptionalLong fence = twin().pass(scene.holder(), next.request());
        assertThat(fence.isPresent()).isEqualTo(row.passes);
        if (row.passes) {
            isTheOneHolder(scene, next.ref(fence.orElseThrow()));
        } else {
            untouched(row, scene);
        }
    }

    private void refuses(Row row, Scene scene, ClaimRef stranger) {
        assertThat(twin().renew(stranger, LockAsking.LONG)).as("renew").isEqualTo(LOST);
        assertThat(twin().end(stranger, LockEnd.released())).as("release").isEqualTo(LOST);
        assertThat(twin().end(stranger, LockEnding.with("a stranger's")))
                .as("complete")
                .isEqualTo(LOST);
        assertThat(twin().pass(stranger, scene.asking().anew().request()))
                .as("pass")
                .isEmpty();
        untouched(row, scene);
    }

    /** The lock still gives its row's answers, and its holder holds it as before. */
    private void untouched(Row row, Scene scene) {
        assertThat(store().renew(scene.holder(), LockAsking.LONG)).isEqualTo(row.renew);
        LockAsking asker = scene.asking().anew().takingResultSince(1);
        checkTold(scene, row.other, asker.at(store()));
    }

    private static void checkTold(Scene scene, Told told, LockAnswer answer) {
        long present = scene.present().fence();
        switch (told) {
            case GRANTED ->
                assertThat(answer)
                        .isInstanceOfSatisfying(
                                LockAnswer.Granted.class,
                                granted -> assertThat(granted.fence()).isGreaterThan(present));
            case AGAIN -> assertThat(answer).isEqualTo(new LockAnswer.Granted(present));
            case HELD, IN_WINDOW ->
                assertThat(answer).isInstanceOfSatisfying(LockAnswer.Held.class, held -> {
                    assertThat(held.left()).isPositive().isLessThanOrEqualTo(LockAsking.LONG);
                    assertThat(held.fence()).isEqualTo(present);
                    assertThat(held.completed()).isEqualTo(told == IN_WINDOW);
                });
        }
    }

    private static ClaimRef otherAttempt(Scene scene) {
        return new ClaimRef(scene.asking().id(), scene.present().fence(), AttemptId.random());
    }

    private static ClaimRef fence(Scene scene, long step) {
        return new ClaimRef(
                scene.asking().id(),
                scene.present().fence() + step,
                scene.present().attempt());
    }
}
