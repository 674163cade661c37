package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static io.oncegate.core.spi.HolderAnswer.SETTLED;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who owns a claim: lost owners, late hands, takeover, calls sent again, other payloads, unknown outcomes. */
abstract class RecordOwnerChecks extends RecordTableChecks {
    private static final Duration WELL_PAST = Duration.ofMillis(10);

    @Test
    @DisplayName("C49: a late owner changes nothing after a takeover, and is told that it is lost")
    void aLateOwnerChangesNothingAfterATakeover() {
        Asking first = Asking.forNewKey().lease(Asking.SHORT);
        ClaimRef late = first.grantedAt(store());
        backend().passTime(WELL_PAST);
        ClaimRef newOwner = first.anew().lease(Asking.LONG).grantedAt(twin());
        isLostForAll(late);
        assertThat(twin().settle(newOwner, Settling.succeeded("B"))).isEqualTo(DONE);
        isLostForAll(late);
        assertThat(first.anew().at(store()))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("B"), false));
    }

    @Test
    @DisplayName("C49: an owner is lost even to a later claim of the very same attempt")
    void anOwnerIsLostEvenToALaterClaimOfTheSameAttempt() {
        Asking asking = Asking.forNewKey().lease(Asking.SHORT);
        ClaimRef late = asking.grantedAt(store());
        backend().passTime(WELL_PAST);
        ClaimRef again = asking.lease(Asking.LONG).grantedAt(twin());
        assertThat(again.fence()).isGreaterThan(late.fence());
        isLostForAll(late);
        assertThat(store().renew(again, Asking.LONG)).isEqualTo(DONE);
    }

    @Test
    void anOwnerIsLostAfterItsRelease() {
        Asking asking = Asking.forNewKey();
        ClaimRef released = asking.grantedAt(store());
        assertThat(store().release(released)).isEqualTo(DONE);
        isLostForAll(released);
        ClaimRef next = asking.anew().grantedAt(twin());
        isLostForAll(released);
        assertThat(twin().release(next)).isEqualTo(DONE);
    }

    @Test
    @DisplayName("C41: an abandoned claim holds until its lease ends and no longer, whatever the retention")
    void anAbandonedClaimHoldsUntilItsLeaseEndsAndNoLonger() {
        Duration lease = Duration.ofMillis(500);
        Asking asking = Asking.forNewKey().lease(lease).retention(Duration.ofDays(1));
        ClaimRef abandoned = asking.grantedAt(store());
        ClaimAnswer early = asking.anew().at(twin());
        if (backend().storeTimeMicros() < abandoned.fence() + lease.toMillis() * 1000) {
            assertThat(early)
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Held.class,
                            held -> assertThat(held.remaining()).isLessThanOrEqualTo(lease));
        }
        backend().passTime(lease);
        ClaimAnswer late = asking.anew().at(twin());
        assertThat(late).isInstanceOfSatisfying(ClaimAnswer.Granted.class, granted -> {
            assertThat(granted.takeover()).isTrue();
            assertThat(granted.fence()).isGreaterThan(abandoned.fence());
        });
    }

    @Test
    void anOwnerWhoseLeaseIsOverStaysOwnerUntilTakenOver() {
        Asking asking = Asking.forNewKey().lease(Asking.SHORT);
        ClaimRef owner = asking.grantedAt(store());
        backend().passTime(WELL_PAST);
        assertThat(store().renew(owner, Asking.LONG)).isEqualTo(DONE);
        assertThat(asking.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(store().renew(owner, Asking.SHORT)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        assertThat(store().settle(owner, Settling.succeeded("late but first"))).isEqualTo(DONE);
        assertThat(asking.anew().at(twin())).isInstanceOf(ClaimAnswer.Replay.class);
    }

    @Test
    void aRenewalGivesTheNewLeaseAndNotTheOldOne() {
        Asking asking = Asking.forNewKey().lease(Asking.SHORT);
        ClaimRef owner = asking.grantedAt(store());
        assertThat(store().renew(owner, Asking.LONG)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        assertThat(asking.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(store().renew(owner, Asking.SHORT)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        assertThat(asking.anew().at(twin()))
                .isInstanceOfSatisfying(
                        ClaimAnswer.Granted.class,
                        granted -> assertThat(granted.takeover()).isTrue());
    }

    @Test
    void aRefusedClaimLeavesTheOwnersLeaseAsItIs() {
        Duration lease = Duration.ofMillis(300);
        Asking asking = Asking.forNewKey().lease(lease);
        ClaimRef owner = asking.grantedAt(store());
        Asking next = asking.anew().lease(Asking.LONG).retention(Duration.ofDays(1));
        ClaimAnswer refused = next.at(twin());
        ClaimAnswer mismatch = next.payload(Asking.OTHER_PAYLOAD).at(twin());
        assertThat(mismatch).isInstanceOf(ClaimAnswer.Mismatch.class);
        if (backend().storeTimeMicros() < owner.fence() + lease.toMillis() * 1000) {
            assertThat(refused).isInstanceOf(ClaimAnswer.Held.class);
            backend().passTime(lease);
            assertThat(next.anew().at(twin())).isInstanceOf(ClaimAnswer.Granted.class);
        }
    }

    @Test
    void theSameAttemptIsGivenItsOwnClaimAgain() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        assertThat(asking.at(twin())).isEqualTo(new ClaimAnswer.Granted(claim.fence(), false));
        assertThat(asking.payload(Asking.OTHER_PAYLOAD).at(twin())).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        assertThat(store().settle(claim, Settling.succeeded("x"))).isEqualTo(DONE);
        assertThat(asking.at(twin())).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("x"), true));
    }

    @Test
    void theSameAttemptIsToldThatItSettledWithoutAResult() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        store().settle(claim, Settling.withoutResult(RecordState.REFUSED));
        assertThat(asking.at(twin())).isEqualTo(Untimed.noResult(RecordState.REFUSED, true));
    }

    @Test
    void aSettlementSentAgainIsDoneAndAnotherOneIsRefused() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        Settlement settlement = Settling.succeeded("first");
        assertThat(store().settle(claim, settlement)).isEqualTo(DONE);
        assertThat(store().settle(claim, settlement)).isEqualTo(DONE);
        assertThat(twin().settle(claim, Settling.succeeded("second"))).isEqualTo(SETTLED);
        assertThat(twin().settle(claim, Settling.refused("first"))).isEqualTo(SETTLED);
        assertThat(twin().settle(claim, Settling.unknown())).isEqualTo(SETTLED);
        assertThat(twin().settle(claim, Settling.withoutResult(RecordState.SUCCEEDED)))
                .isEqualTo(SETTLED);
        assertThat(asking.anew().at(twin()))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("first"), false));
    }

    @Test
    void aSettlementSentAgainAfterItsResultWasDroppedIsDone() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        Settlement settlement = Settling.succeeded(Settling.payload("brief"), Asking.LONG, Asking.SHORT);
        assertThat(store().settle(claim, settlement)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        assertThat(twin().settle(claim, settlement)).isEqualTo(DONE);
        assertThat(asking.anew().at(store())).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
    }

    @Test
    @DisplayName(
            "C46: another payload is refused while running, after, on takeover and by a fresh handle; nothing changes")
    void anotherPayloadIsRefusedWhileRunningAfterAndOnTakeover() {
        Asking asking = Asking.forNewKey().lease(Asking.LONG);
        Asking other = asking.anew().payload(Asking.OTHER_PAYLOAD);
        ClaimAnswer refusal = new ClaimAnswer.Mismatch(Asking.PAYLOAD);
        ClaimRef owner = asking.grantedAt(store());
        isAnswered(other, refusal);
        assertThat(store().renew(owner, Asking.SHORT)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        isAnswered(other, refusal);
        ClaimRef second = asking.anew().grantedAt(twin());
        isAnswered(other, refusal);
        assertThat(twin().settle(second, Settling.succeeded("10"))).isEqualTo(DONE);
        isAnswered(other, refusal);
        isAnswered(asking.anew(), Untimed.replay(RecordState.SUCCEEDED, Settling.payload("10"), false));
    }

    @Test
    void aMismatchGivesTheWholeStoredFingerprintBack() {
        Fingerprint large = largeFingerprint();
        Asking asking = Asking.forNewKey().payload(large);
        ClaimRef owner = asking.grantedAt(store());
        isAnswered(asking.anew().payload(Asking.PAYLOAD), new ClaimAnswer.Mismatch(large));
        assertThat(store().settle(owner, Settling.succeeded("x"))).isEqualTo(DONE);
        isAnswered(asking.anew().payload(Fingerprint.none()), new ClaimAnswer.Mismatch(large));
        Asking none = Asking.forNewKey().payload(Fingerprint.none());
        none.grantedAt(store());
        isAnswered(none.anew().payload(large), new ClaimAnswer.Mismatch(Fingerprint.none()));
        assertThat(none.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
    }

    @Test
    void aReleasedKeyForgetsItsPayload() {
        Asking asking = Asking.forNewKey();
        store().release(asking.grantedAt(store()));
        ClaimRef next = asking.anew().payload(Asking.OTHER_PAYLOAD).grantedAt(twin());
        isAnswered(asking.anew(), new ClaimAnswer.Mismatch(Asking.OTHER_PAYLOAD));
        assertThat(twin().release(next)).isEqualTo(DONE);
    }

    @Test
    void anUnknownOutcomeIsReconciledByOneOnlyAndTheNextOneFollowsAfterACrash() {
        Asking asking = Asking.forNewKey();
        ClaimRef first = asking.grantedAt(store());
        assertThat(store().settle(first, Settling.unknown())).isEqualTo(DONE);
        isAnswered(asking.anew(), Untimed.unknown());

        Asking reconciler = asking.anew().lease(Asking.LONG);
        ClaimRef reconciling = reconciler.reconcilingAt(twin());
        assertThat(reconciling.fence()).isGreaterThan(first.fence());
        assertThat(asking.anew().reconciling().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(asking.anew().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(reconciler.reconcilingAt(store())).isEqualTo(reconciling);
        isLostForAll(first);

        assertThat(twin().renew(reconciling, Asking.SHORT)).isEqualTo(DONE);
        backend().passTime(WELL_PAST);
        isAnswered(asking.anew(), Untimed.unknown());
        ClaimRef next = asking.anew().lease(Asking.LONG).reconcilingAt(store());
        assertThat(next.fence()).isGreaterThan(reconciling.fence());
        isLostForAll(reconciling);
        assertThat(store().settle(next, Settling.succeeded("found"))).isEqualTo(DONE);
        isAnswered(
                asking.anew().reconciling(), Untimed.replay(RecordState.SUCCEEDED, Settling.payload("found"), false));
        isAnswered(asking.payload(Asking.OTHER_PAYLOAD), new ClaimAnswer.Mismatch(Asking.PAYLOAD));
    }

    @Test
    void anUnknownOutcomeThatDidNotHappenIsFreed() {
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.unknown());
        ClaimRef reconciling = asking.anew().reconcilingAt(twin());
        assertThat(twin().release(reconciling)).isEqualTo(DONE);
        assertThat(asking.anew().grantedAt(store()).fence()).isGreaterThan(reconciling.fence());
    }

    @Test
    void anOutcomeThatIsStillUnknownWaitsForTheNextReconciler() {
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.unknown());
        ClaimRef reconciling = asking.anew().reconcilingAt(twin());
        assertThat(twin().settle(reconciling, Settling.unknown())).isEqualTo(DONE);
        isAnswered(asking.anew(), Untimed.unknown());
        assertThat(asking.anew().reconcilingAt(store()).fence()).isGreaterThan(reconciling.fence());
    }

    @Test
    void anUnknownOutcomeOutlivesEveryLeaseAndRetention() {
        Asking asking = Asking.forNewKey();
        Settlement unknown = Settlement.unknown(Asking.SHORT, Duration.ZERO);
        store().settle(asking.grantedAt(store()), unknown);
        asking.anew().lease(Asking.SHORT).retention(Asking.SHORT).reconcilingAt(twin());
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));
        if (abilities().purges()) {
            Sweeping.untilNothingIsDue(purger());
        }
        isAnswered(asking.anew(), Untimed.unknown());
        isAnswered(asking.payload(Asking.OTHER_PAYLOAD), new ClaimAnswer.Mismatch(Asking.PAYLOAD));
    }

    private void isAnswered(Asking asking, ClaimAnswer answer) {
        assertThat(asking.at(store())).isEqualTo(answer);
        assertThat(asking.at(twin())).isEqualTo(answer);
    }

    private void isLostForAll(ClaimRef claim) {
        for (RecordStore handle : new RecordStore[] {store(), twin()}) {
            assertThat(handle.renew(claim, Asking.LONG)).as("renew").isEqualTo(LOST);
            assertThat(handle.settle(claim, Settling.succeeded("A")))
                    .as("settle")
                    .isEqualTo(LOST);
            assertThat(handle.settle(claim, Settling.unknown()))
                    .as("settle as unknown")
                    .isEqualTo(LOST);
            assertThat(handle.release(claim)).as("release").isEqualTo(LOST);
        }
    }

    private static Fingerprint largeFingerprint() {
        Fingerprint.Builder builder = Fingerprint.builder();
        for (int part = 0; part < Fingerprint.MAX_PARTS; part++) {
            builder.text("part-" + part + "-\u91d1\u989d", "value " + part);
        }
        return builder.build();
    }
}
