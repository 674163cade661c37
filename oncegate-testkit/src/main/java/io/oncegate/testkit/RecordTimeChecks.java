package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases, retentions, fences and birth times, all by the store's own clock. */
abstract class RecordTimeChecks extends RecordOwnerChecks {
    private static final Duration WELL_PAST = Duration.ofMillis(10);

    @Test
    @DisplayName("a new key's fence is the store's time: no node's clock has a say")
    void aNewKeysFenceIsTheStoresTime() {
        long before = backend().storeTimeMicros();
        ClaimRef claim = Asking.forNewKey().grantedAt(store());
        ClaimRef other = Asking.forNewKey().grantedAt(twin());
        assertThat(claim.fence()).isBetween(before, backend().storeTimeMicros());
        assertThat(other.fence()).isBetween(before, backend().storeTimeMicros());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT0.5S"})
    @DisplayName("C20: a lease below a second is kept to the millisecond")
    void aLeaseBelowASecondIsKept(Duration lease) {
        Asking asking = Asking.forNewKey().lease(lease);
        asking.grantedAt(store());
        backend().passTime(lease);
        ClaimRef next = asking.anew().lease(Asking.LONG).grantedAt(twin());
        assertThat(twin().renew(next, lease)).isEqualTo(DONE);
        backend().passTime(lease);
        asking.anew().grantedAt(store());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.5S", "PT30S", "P1D", "P3660D"})
    @DisplayName("C20: what is left of a lease is told to the millisecond, from half a second to ten years")
    void whatIsLeftOfALeaseIsTold(Duration lease) {
        Asking asking = Asking.forNewKey().lease(lease);
        long before = backend().storeTimeMicros();
        asking.grantedAt(store());
        ClaimAnswer answer = asking.anew().at(twin());
        Duration spent = Duration.of(backend().storeTimeMicros() - before, ChronoUnit.MICROS);
        if (spent.compareTo(lease) < 0) {
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Held.class,
                            held -> assertThat(held.remaining())
                                    .satisfiesAnyOf(
                                            zero -> assertThat(zero).isZero(),
                                            left -> assertThat(left)
                                                    .isBetween(
                                                            lease.minus(spent).minusMillis(1), lease.plusMillis(1))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT0.05S"})
    @DisplayName("C20: a retention of milliseconds ends, and the key runs again")
    void aRetentionOfMillisecondsEnds(Duration retention) {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        store().settle(claim, Settling.succeeded(Settling.payload("x"), retention, retention));
        backend().passTime(retention);
        ClaimRef next = asking.anew().payload(Asking.OTHER_PAYLOAD).grantedAt(twin());
        assertThat(next.fence()).isGreaterThan(claim.fence());
        assertThat(store().settle(claim, Settling.succeeded("late"))).isEqualTo(LOST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "P1D", "P400D", "P3660D"})
    void aLongRetentionIsKept(Duration retention) {
        Asking asking = Asking.forNewKey().retention(retention);
        ClaimRef claim = asking.grantedAt(store());
        assertThat(store().renew(claim, Duration.ofDays(1))).isEqualTo(DONE);
        store().settle(claim, Settling.succeeded(Settling.payload("kept"), retention, retention));
        backend().passTime(WELL_PAST);
        assertThat(asking.anew().at(twin()))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("kept"), false));
    }

    @Test
    void theRetentionOfTheSettlementCountsAndNotTheClaims() {
        Asking asking = Asking.forNewKey().lease(Asking.SHORT).retention(Asking.SHORT);
        ClaimRef claim = asking.lease(Asking.LONG).grantedAt(store());
        store().settle(claim, Settling.succeeded("kept for long"));
        backend().passTime(WELL_PAST);
        assertThat(asking.anew().at(twin())).isInstanceOf(ClaimAnswer.Replay.class);
    }

    @Test
    @DisplayName("C41: an abandoned claim answers for a whole retention after its lease, then the payload is free too")
    void anAbandonedClaimAnswersForAWholeRetentionAfterItsLease() {
        Duration retention = Duration.ofMillis(300);
        Asking asking = Asking.forNewKey().lease(Asking.SHORT).retention(retention);
        ClaimRef abandoned = asking.grantedAt(store());
        long over = abandoned.fence() + 1_000 + 300_000;
        ClaimAnswer early = asking.anew().payload(Asking.OTHER_PAYLOAD).at(twin());
        if (backend().storeTimeMicros() < over) {
            assertThat(early).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        }
        backend().passTime(retention.plus(WELL_PAST));
        assertThat(store().renew(abandoned, Asking.LONG)).isEqualTo(LOST);
        assertThat(asking.anew().payload(Asking.OTHER_PAYLOAD).at(twin()))
                .isInstanceOfSatisfying(ClaimAnswer.Granted.class, granted -> {
                    assertThat(granted.takeover()).isFalse();
                    assertThat(granted.fence()).isGreaterThan(abandoned.fence());
                });
    }

    @Test
    void aRenewalMovesTheRetentionWithTheLease() {
        Duration retention = Duration.ofMillis(20);
        Asking asking = Asking.forNewKey().lease(Asking.LONG).retention(retention);
        ClaimRef claim = asking.grantedAt(store());
        assertThat(store().renew(claim, Asking.SHORT)).isEqualTo(DONE);
        backend().passTime(retention.plus(WELL_PAST));
        assertThat(store().settle(claim, Settling.succeeded("too late"))).isEqualTo(LOST);
        assertThat(asking.payload(Asking.OTHER_PAYLOAD).at(twin())).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void fencesRiseThroughReleaseExpirySettlingAndForgetting() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        store().release(claim);
        claim = higher(claim, asking.lease(Asking.SHORT));
        backend().passTime(WELL_PAST);
        claim = higher(claim, asking.lease(Asking.SHORT).retention(Asking.SHORT));
        backend().passTime(WELL_PAST);
        claim = higher(claim, asking);
        store().settle(claim, Settling.succeeded(null, Asking.SHORT, Asking.SHORT));
        backend().passTime(WELL_PAST);
        claim = higher(claim, asking);
        for (int round = 0; round < 50; round++) {
            assertThat(store().release(claim)).isEqualTo(DONE);
            claim = higher(claim, asking);
        }
        if (abilities().browses()) {
            store().settle(claim, Settling.succeeded("forget me"));
            assertThat(browser().forget(asking.id())).isEqualTo(ForgetAnswer.FORGOTTEN);
            higher(claim, asking);
        }
    }

    @Test
    void fencesRiseThoughNothingRemembersTheLastOne() {
        assumeTrue(abilities().purges() || abilities().sweepsByItself(), "the store does not sweep");
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        store().settle(claim, Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT));
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));
        if (abilities().purges()) {
            Sweeping.untilNothingIsDue(purger());
        }
        if (abilities().purges() && abilities().browses()) {
            assertThat(browser().find(asking.id())).isEmpty();
        }
        assertThat(store().settle(claim, Settling.succeeded("late"))).isEqualTo(LOST);
        higher(claim, asking);
    }

    @Test
    void aClockThatStepsBackLowersNoFenceAndFreesNothing() {
        assumeTrue(backend() instanceof SteppingBackend, "the backend's clock cannot be stepped back");
        SteppingBackend clock = (SteppingBackend) backend();
        Asking released = Asking.forNewKey();
        ClaimRef first = released.grantedAt(store());
        store().release(first);
        Asking running = Asking.forNewKey();
        ClaimRef runner = running.grantedAt(store());
        Asking settled = Asking.forNewKey();
        store().settle(settled.grantedAt(store()), Settling.succeeded("x"));
        clock.stepBack(Duration.ofMinutes(5));
        assertThat(store().renew(first, Asking.LONG)).isEqualTo(LOST);
        assertThat(higher(first, released).fence()).isEqualTo(first.fence() + 1);
        assertThat(running.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(twin().settle(runner, Settling.succeeded("y"))).isEqualTo(DONE);
        assertThat(settled.anew().at(twin())).isInstanceOf(ClaimAnswer.Replay.class);
        clock.passTime(Duration.ofMinutes(5));
    }

    @Test
    void aClockThatStepsBackByTheMarginAfterASweepLowersNoFence() {
        assumeTrue(backend() instanceof SteppingBackend, "the backend's clock cannot be stepped back");
        Asking asking = Asking.forNewKey();
        ClaimRef last = asking.grantedAt(store());
        store().release(last);
        if (abilities().purges()) {
            Sweeping.untilNothingIsDue(purger());
        }
        backend().passTime(abilities().sweepMargin().plusMillis(1));
        if (abilities().purges()) {
            Sweeping.untilNothingIsDue(purger());
        }
        ((SteppingBackend) backend()).stepBack(abilities().sweepMargin());
        higher(last, asking);
    }

    private ClaimRef higher(ClaimRef last, Asking asking) {
        ClaimRef next = asking.anew().grantedAt(twin());
        assertThat(next.fence()).isGreaterThan(last.fence());
        return next;
    }

    @Test
    void aKeyThatIsTooOldOrFromTheFutureIsRefusedWhereNoRecordAnswers() {
        Instant now = storeTime();
        Asking old = Asking.forNewKey()
                .born(new BirthRule(now.minusSeconds(61), Duration.ofMinutes(1), Duration.ofSeconds(5)));
        Asking early = Asking.forNewKey()
                .born(new BirthRule(now.plusSeconds(60), Duration.ofMinutes(1), Duration.ofSeconds(5)));
        assertThat(old.at(store())).isEqualTo(new ClaimAnswer.OutOfTime(false));
        assertThat(old.at(twin())).isEqualTo(new ClaimAnswer.OutOfTime(false));
        assertThat(early.at(store())).isEqualTo(new ClaimAnswer.OutOfTime(true));
        old.born(new BirthRule(now.minusSeconds(50), Duration.ofMinutes(1), Duration.ofSeconds(5)))
                .grantedAt(store());
        early.born(new BirthRule(now.plusSeconds(4), Duration.ofMinutes(1), Duration.ofSeconds(5)))
                .grantedAt(store());
    }

    @Test
    void aKeyThatIsTooOldIsAnsweredByItsRecordWhileThereIsOne() {
        BirthRule tooOld = new BirthRule(storeTime().minusSeconds(3600), Duration.ofSeconds(1), Duration.ZERO);
        Asking asking = Asking.forNewKey().lease(Asking.SHORT);
        Asking late = asking.anew().lease(Asking.LONG).born(tooOld);
        ClaimRef abandoned = asking.grantedAt(store());
        backend().passTime(WELL_PAST);
        ClaimRef takeover = late.grantedAt(twin());
        assertThat(takeover.fence()).isGreaterThan(abandoned.fence());
        assertThat(late.anew().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(late.anew().payload(Asking.OTHER_PAYLOAD).at(store()))
                .isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        twin().settle(takeover, Settling.succeeded(Settling.payload("x"), Asking.LONG, Asking.LONG));
        assertThat(late.anew().at(store())).isInstanceOf(ClaimAnswer.Replay.class);

        Asking released = Asking.forNewKey();
        store().release(released.grantedAt(store()));
        assertThat(released.anew().born(tooOld).at(twin())).isEqualTo(new ClaimAnswer.OutOfTime(false));
        released.anew().grantedAt(twin());

        Asking expired = Asking.forNewKey();
        Settlement brief = Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT);
        store().settle(expired.grantedAt(store()), brief);
        backend().passTime(WELL_PAST);
        assertThat(expired.anew().born(tooOld).at(twin())).isEqualTo(new ClaimAnswer.OutOfTime(false));
    }

    private Instant storeTime() {
        return Instant.EPOCH.plus(backend().storeTimeMicros(), ChronoUnit.MICROS);
    }
}
