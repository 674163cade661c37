package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who a lock belongs to, for how long, and by which number. */
abstract class LockOwnerChecks extends LockTableChecks {
    private static final Duration BRIEF = Duration.ofMillis(500);

    @Test
    void theSameAttemptIsGivenItsOwnLockAgainWithAWholeLease() {
        ClaimRef held = before(BRIEF, () -> {
            LockAsking asking = LockAsking.forNewKey();
            ClaimRef granted = asking.lease(BRIEF).grantedAt(store());
            assertThat(asking.grantedAt(twin())).isEqualTo(granted);
            return granted;
        });
        backend().passTime(BRIEF.plusMillis(2));
        assertThat(LockAsking.forId(held.id()).at(twin())).isInstanceOf(LockAnswer.Held.class);
        assertThat(store().renew(held, LockAsking.LONG)).isEqualTo(DONE);
    }

    @Test
    void anEndSentAgainIsDoneAndChangesNothing() {
        before(abilities().sweepMargin(), this::endsAgain);
    }

    private boolean endsAgain() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.LONG);
        ClaimRef released = asking.grantedAt(store());
        LockEnding.done(store(), released, LockEnd.released());
        LockEnding.done(twin(), released, LockEnding.with("too late"));
        LockAsking next = asking.anew().takingResultSince(released.fence());
        ClaimRef completed = next.grantedAt(store());

        LockEnding.done(store(), completed, LockEnding.with("first"));
        LockEnding.done(twin(), completed, LockEnding.with("second"));
        LockEnding.done(twin(), completed, LockEnding.COMPLETED);
        LockEnding.done(twin(), completed, LockEnd.released());
        assertThat(asking.anew().takingResult().at(store()))
                .isEqualTo(new LockAnswer.Result(LockEnding.payload("first")));
        return true;
    }

    @Test
    @DisplayName("C06: whatever a late holder sends leaves the next one's lock alone")
    void aLateHolderChangesNothingAfterATakeover() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef late = asking.lease(LockAsking.SHORT).grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        LockAsking next = asking.anew();
        ClaimRef newer = next.grantedAt(twin());
        assertThat(newer.fence()).isGreaterThan(late.fence());

        assertThat(store().renew(late, LockAsking.LONG)).isEqualTo(LOST);
        assertThat(store().end(late, LockEnd.released())).isEqualTo(LOST);
        assertThat(store().end(late, LockEnding.COMPLETED)).isEqualTo(LOST);
        assertThat(store().end(late, LockEnding.with("a late result"))).isEqualTo(LOST);
        assertThat(store().pass(late, asking.anew().request())).isEmpty();
        assertThat(asking.by(late.attempt()).at(store())).isInstanceOf(LockAnswer.Held.class);

        assertThat(asking.anew().takingResultSince(late.fence()).at(store()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class, held -> assertThat(held.fence()).isEqualTo(newer.fence()));
        LockEnding.done(twin(), newer, LockEnd.released());
    }

    @Test
    void aHolderIsLostEvenToALaterAcquisitionOfTheSameAttempt() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef late = asking.lease(LockAsking.SHORT).grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        ClaimRef newer = asking.grantedAt(twin());
        assertThat(newer.fence()).isGreaterThan(late.fence());
        assertThat(store().renew(late, LockAsking.LONG)).isEqualTo(LOST);
        assertThat(store().end(late, LockEnd.released())).isEqualTo(LOST);
        LockEnding.done(twin(), newer, LockEnd.released());
    }

    @Test
    @DisplayName("C11: a lease that is over is lost, also if nobody else came")
    void aLeaseThatIsOverIsLostAlsoIfNobodyElseCame() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef late = asking.lease(LockAsking.SHORT).grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        assertThat(store().renew(late, LockAsking.LONG)).isEqualTo(LOST);
        assertThat(store().end(late, LockEnding.with("late"))).isEqualTo(LOST);
        assertThat(store().end(late, LockEnd.released())).isEqualTo(LOST);
        assertThat(store().pass(late, asking.anew().request())).isEmpty();
        assertThat(asking.anew().takingResultSince(late.fence()).at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aRefusedAskerLeavesTheHoldersLeaseAsItIs() {
        ClaimRef held = before(BRIEF, () -> {
            LockAsking asking = LockAsking.forNewKey();
            ClaimRef granted = asking.lease(BRIEF).grantedAt(store());
            assertThat(asking.anew().at(twin()))
                    .isInstanceOfSatisfying(
                            LockAnswer.Held.class,
                            answer -> assertThat(answer.left()).isLessThanOrEqualTo(BRIEF.plusMillis(1)));
            return granted;
        });
        backend().passTime(BRIEF);
        assertThat(LockAsking.forId(held.id()).grantedAt(twin()).fence())
                .isGreaterThanOrEqualTo(held.fence() + micros(BRIEF));
    }

    @Test
    void aRenewalMovesTheEndToThePresentPlusTheLease() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef held = asking.grantedAt(store());
        long before = backend().storeTimeMicros();
        assertThat(twin().renew(held, BRIEF)).isEqualTo(DONE);
        backend().passTime(BRIEF.plusMillis(2));
        assertThat(store().renew(held, BRIEF)).isEqualTo(LOST);
        assertThat(asking.anew().grantedAt(twin()).fence()).isGreaterThanOrEqualTo(before + micros(BRIEF));
    }

    @Test
    @DisplayName("C20: a lease of a millisecond and one of the longest time are kept as they are")
    void theShortestAndTheLongestLeaseAreKept() {
        LockAsking shortest = LockAsking.forNewKey();
        ClaimRef brief = shortest.lease(Duration.ofMillis(1)).grantedAt(store());
        backend().passTime(Duration.ofMillis(1));
        assertThat(shortest.anew().grantedAt(twin()).fence()).isGreaterThanOrEqualTo(brief.fence() + 1_000);

        LockAsking longest = LockAsking.forNewKey().lease(LockOptions.MAX_LEASE);
        ClaimRef held = longest.grantedAt(store());
        backend().passTime(Duration.ofMillis(5));
        assertThat(longest.anew().at(twin()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        answer -> assertThat(answer.left())
                                .isBetween(LockOptions.MAX_LEASE.minusHours(1), LockOptions.MAX_LEASE));
        LockEnding.done(store(), held, LockEnd.released());
    }

    @Test
    void theFirstFenceIsTheStoresTime() {
        long before = backend().storeTimeMicros();
        ClaimRef held = LockAsking.forNewKey().grantedAt(twin());
        assertThat(held.fence()).isBetween(before, backend().storeTimeMicros());
    }

    @Test
    void fencesRiseWithEachAcquisition() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef last = asking.grantedAt(store());
        for (int round = 0; round < 20; round++) {
            LockStore store = handle(round);
            LockAsking next = asking.anew();
            long fence;
            if (round % 4 == 0) {
                fence = store.pass(last, next.request()).orElseThrow();
            } else {
                LockEnding.done(store, last, round % 2 == 0 ? LockEnd.released() : LockEnding.COMPLETED);
                fence = next.grantedAt(handle(round / 2)).fence();
            }
            assertThat(fence).isGreaterThan(last.fence());
            last = next.ref(fence);
        }
    }

    @Test
    void aClockThatStepsBackLowersNoFenceAndFreesNothing() {
        assumeTrue(backend() instanceof SteppingBackend, "the backend's clock cannot be stepped back");
        SteppingBackend clock = (SteppingBackend) backend();
        LockAsking asking = LockAsking.forNewKey().lease(BRIEF);
        ClaimRef first = asking.grantedAt(store());
        clock.stepBack(Duration.ofDays(1));
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Held.class);
        assertThat(store().renew(first, BRIEF)).isEqualTo(DONE);
        LockEnding.done(store(), first, LockEnd.released());
        ClaimRef second = asking.anew().grantedAt(twin());
        assertThat(second.fence()).isGreaterThan(first.fence());
        LockAsking next = asking.anew();
        assertThat(store().pass(second, next.request()).orElseThrow()).isGreaterThan(second.fence());
        clock.passTime(BRIEF);
        assertThat(asking.anew().grantedAt(store()).fence()).isGreaterThan(second.fence() + 1);
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
