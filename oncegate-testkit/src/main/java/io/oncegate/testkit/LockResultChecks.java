package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Who is given a result, and for how long. */
abstract class LockResultChecks extends LockWindowChecks {
    private static final Duration KEPT = Duration.ofMillis(100);

    private ClaimRef ran(LockAsking asking, LockEnd end) {
        ClaimRef held = asking.anew().grantedAt(store());
        LockEnding.done(store(), held, end);
        return held;
    }

    private void isGiven(String result, LockAsking asking) {
        assertThat(asking.anew().at(twin())).isEqualTo(new LockAnswer.Result(LockEnding.payload(result)));
    }

    private void isGranted(LockAsking asking) {
        LockEnding.done(twin(), asking.anew().grantedAt(twin()), LockEnd.released());
    }

    @Test
    void aResultGoesToThoseWhoMetTheRunAndTakeIt() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef run = asking.grantedAt(store());
        assertThat(asking.anew().takingResultSince(run.fence()).at(twin())).isInstanceOf(LockAnswer.Held.class);
        LockEnding.done(store(), run, LockEnding.with("the answer"));
        isGiven("the answer", asking.takingResultSince(run.fence()));
        isGiven("the answer", asking.takingResultSince(run.fence() - 1));
        isGranted(asking.takingResultSince(run.fence() + 1));
        isGranted(asking.takingResult());
        isGranted(asking.met(run.fence()));
        isGiven("the answer", asking.takingResultSince(run.fence()));
    }

    @Test
    void withinTheWindowAResultGoesToAllWhoTakeIt() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.LONG);
        ClaimRef run = ran(asking, LockEnding.with(LockEnding.payload("the answer"), LockAsking.SHORT));
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        isGiven("the answer", asking.takingResult());
        isGiven("the answer", asking.takingResultSince(run.fence() + 1));
        assertThat(asking.anew().at(twin()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        held -> assertThat(held.completed()).isTrue());
    }

    @Test
    void anOlderResultIsNotThatOfTheWindowsRun() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef older = ran(asking, LockEnding.with("the older answer"));
        ran(asking.window(LockAsking.LONG), LockEnding.COMPLETED);
        assertThat(asking.anew().takingResult().at(twin())).isInstanceOf(LockAnswer.Held.class);
        // also to one who had met the older run: its own window's run decides
        assertThat(asking.anew().takingResultSince(older.fence()).at(twin())).isInstanceOf(LockAnswer.Held.class);
    }

    @Test
    void aLaterRunsResultIsGivenToThoseWhoMetAnEarlierOne() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = ran(asking, LockEnd.released());
        ClaimRef second = ran(asking, LockEnding.COMPLETED);
        isGranted(asking.takingResultSince(second.fence()));
        ClaimRef third = ran(asking, LockEnding.with("third"));
        ClaimRef fourth = ran(asking, LockEnding.with("fourth"));
        for (ClaimRef met : List.of(first, second, third, fourth)) {
            isGiven("fourth", asking.takingResultSince(met.fence()));
        }
    }

    @Test
    void anEarlierRunsResultIsNotGivenToThoseWhoMetALaterOne() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = ran(asking, LockEnding.with("first"));
        ClaimRef second = asking.anew().grantedAt(store());
        assertThat(asking.anew().takingResultSince(second.fence()).at(twin())).isInstanceOf(LockAnswer.Held.class);
        LockEnding.done(store(), second, LockEnding.COMPLETED);
        isGranted(asking.takingResultSince(second.fence()));
        isGiven("first", asking.takingResultSince(first.fence()));
    }

    @Test
    void aResultIsGivenWhileTheNextOneRuns() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = ran(asking, LockEnding.with("first"));
        ClaimRef second = asking.anew().grantedAt(store());
        isGiven("first", asking.takingResultSince(first.fence()));
        ClaimRef third = asking.anew().ref(0);
        LockAsking next = asking.by(third.attempt());
        assertThat(store().pass(second, next.request())).isPresent();
        isGiven("first", asking.takingResultSince(first.fence()));
    }

    @Test
    void aResultEndsWithItsRetention() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef run = ran(asking, LockEnding.with(LockEnding.payload("brief"), KEPT));
        long before = backend().storeTimeMicros();
        LockAnswer answer = asking.anew().takingResultSince(run.fence()).at(twin());
        long grantedAt = backend().storeTimeMicros();
        if (grantedAt < run.fence() + micros(KEPT)) {
            assertThat(answer).isEqualTo(new LockAnswer.Result(LockEnding.payload("brief")));
        }
        assertThat(before).isLessThanOrEqualTo(grantedAt);
        if (answer instanceof LockAnswer.Granted) {
            return; // on a slow machine it was over already
        }
        backend().passTime(KEPT);
        assertThat(asking.anew().takingResultSince(run.fence()).at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aResultOutlastsAnOpenWindowIfItIsKeptForLonger() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.SHORT);
        ClaimRef run = ran(asking, LockEnding.with("kept"));
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        isGiven("kept", asking.takingResultSince(run.fence()));
        isGranted(asking.takingResult());
    }

    @Test
    void aLostHolderLeavesNoResult() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef late = asking.lease(LockAsking.SHORT).grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        assertThat(store().end(late, LockEnding.with("late"))).isEqualTo(HolderAnswer.LOST);
        isGranted(asking.takingResultSince(late.fence()));
    }

    @Test
    void theSameAttemptIsGivenItsLockAndNotAResult() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = ran(asking, LockEnding.with("first"));
        LockAsking next = asking.anew();
        ClaimRef second = next.grantedAt(store());
        assertThat(next.takingResultSince(first.fence()).grantedAt(twin())).isEqualTo(second);
    }

    @TestFactory
    Stream<DynamicTest> everyResultIsGivenByteForByte() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        byte[] largest = new byte[abilities().maxResultBytes()];
        for (int i = 0; i < largest.length; i++) {
            largest[i] = (byte) (31 * i + i / 251);
        }
        return Stream.of(
                        new byte[0],
                        new byte[] {0},
                        new byte[] {-1},
                        "\r\n".getBytes(StandardCharsets.US_ASCII),
                        "null".getBytes(StandardCharsets.US_ASCII),
                        all,
                        largest)
                .map(Payload::of)
                .map(result -> DynamicTest.dynamicTest(result.toString(), () -> {
                    LockAsking asking = LockAsking.forNewKey();
                    ClaimRef run = ran(asking, LockEnding.with(result, LockAsking.LONG));
                    assertThat(asking.anew().takingResultSince(run.fence()).at(twin()))
                            .isEqualTo(new LockAnswer.Result(result));
                }));
    }
}
