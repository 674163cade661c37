package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static io.oncegate.core.spi.HolderAnswer.SETTLED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often, from when and for whom a record lets a reconciler in; and how long a settled record's answer is good for. */
abstract class RecordInquiryChecks extends RecordHistoryChecks {
    private static final Duration PAUSE = Duration.ofMillis(30);
    private static final Duration PAST = PAUSE.plusMillis(10);
    private static final Duration ROUNDING = Duration.ofMillis(1);

    @Test
    void aReplayTellsHowLongItIsGoodFor() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        long before = backend().storeTimeMicros();
        store().settle(claim, Settling.succeeded(Settling.payload("x"), Duration.ofHours(2), Duration.ofMinutes(30)));
        ClaimAnswer answer = twin().claim(asking.anew().request());
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimAnswer.Replay.class,
                        replay -> isLeftOf(replay.remaining(), Duration.ofMinutes(30), before));
    }

    @Test
    void anAnswerWithoutResultTellsHowLongItIsGoodFor() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        long before = backend().storeTimeMicros();
        store().settle(claim, Settling.succeeded(null, Duration.ofHours(2), Duration.ofMinutes(30)));
        ClaimAnswer answer = twin().claim(asking.anew().request());
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimAnswer.NoResult.class, none -> isLeftOf(none.remaining(), Duration.ofHours(2), before));
    }

    private void isLeftOf(Duration remaining, Duration whole, long since) {
        Duration spent = RecordMachine.micros(backend().storeTimeMicros() - since);
        assertThat(remaining).isBetween(whole.minus(spent).minus(ROUNDING), whole.plus(ROUNDING));
    }

    @Test
    void untilThePauseIsOverNobodyIsLetInAndAllAreToldHowLong() {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        long before = backend().storeTimeMicros();
        assertThat(store().settle(claim, Settling.unknown(Asking.LONG))).isEqualTo(DONE);
        for (Asking asker : new Asking[] {asking.anew(), asking.anew().reconciling()}) {
            assertThat(asker.at(twin()))
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Unknown.class, unknown -> isLeftOf(unknown.pause(), Asking.LONG, before));
        }
        assertThat(twin().renew(claim, Asking.LONG)).isEqualTo(SETTLED);
        assertThat(twin().settle(claim, Settling.unknown(Duration.ZERO))).isEqualTo(DONE);
        assertThat(asking.anew().reconciling().at(twin())).isInstanceOf(ClaimAnswer.Unknown.class);
    }

    @Test
    void afterThePauseOneIsLetInAndTheNextPauseIsKeptToo() {
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.unknown(PAUSE));
        backend().passTime(PAST);
        ClaimRef first = asking.anew().reconcilingAt(twin());
        assertThat(twin().settle(first, Settling.unknown(PAUSE))).isEqualTo(DONE);
        backend().passTime(PAST);
        ClaimRef second = asking.anew().reconcilingAt(store());
        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(twin().settle(second, Settling.unknown(Asking.LONG))).isEqualTo(DONE);
        assertThat(asking.anew().reconciling().at(store())).isInstanceOf(ClaimAnswer.Unknown.class);
        assertThat(twin().settle(first, Settling.succeeded("late"))).isEqualTo(LOST);
    }

    @Test
    void reconcilersAreCountedAlsoThoseWhoVanishAndNotLetInTooOften() {
        Asking asking = Asking.forNewKey().maxAsks(2);
        store().settle(asking.grantedAt(store()), Settling.unknown());
        Asking vanishing = asking.anew().lease(Asking.SHORT);
        assertThat(told(vanishing).asked()).isEqualTo(1);
        backend().passTime(PAUSE);
        Asking second = asking.anew();
        ClaimAnswer.Reconcile let = told(second);
        assertThat(let.asked()).isEqualTo(2);
        assertThat(store().settle(second.ref(let.fence()), Settling.unknown(Asking.LONG)))
                .isEqualTo(DONE);
        assertThat(asking.anew().at(twin())).isEqualTo(Untimed.unknown());
        assertThat(asking.anew().maxAsks(1).at(twin())).isEqualTo(Untimed.unknown());
        assertThat(asking.anew().maxAsks(0).at(twin())).isInstanceOf(ClaimAnswer.Unknown.class);
    }

    @Test
    void whoMayAskMoreOftenIsLetInWhereOthersAreNot() {
        Asking asking = Asking.forNewKey().maxAsks(1);
        store().settle(asking.grantedAt(store()), Settling.unknown());
        Asking first = asking.anew();
        store().settle(first.ref(told(first).fence()), Settling.unknown());
        assertThat(asking.anew().at(twin())).isEqualTo(Untimed.unknown());
        assertThat(told(asking.anew().maxAsks(2)).asked()).isEqualTo(2);
    }

    @Test
    void aClaimThatWasLeftToRunOutIsAskedAboutAndNotTakenOver() {
        Asking asking = Asking.forNewKey().lease(Asking.SHORT).maxAsks(3);
        ClaimRef abandoned = asking.grantedAt(store());
        backend().passTime(PAUSE);
        Asking asker = asking.anew().lease(Asking.LONG);
        ClaimAnswer.Reconcile let = told(asker);
        assertThat(let.asked()).isEqualTo(1);
        assertThat(let.fence()).isGreaterThan(abandoned.fence());
        assertThat(let.age()).isGreaterThanOrEqualTo(PAUSE.minus(ROUNDING));
        assertThat(asking.anew().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(store().settle(abandoned, Settling.succeeded("late"))).isEqualTo(LOST);
        assertThat(twin().release(asker.ref(let.fence()))).isEqualTo(DONE);
        assertThat(asking.anew().payload(Asking.OTHER_PAYLOAD).at(store())).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void theAgeCountsFromTheFirstClaimThroughTakeoverSettlingAndAsking() {
        Asking asking = Asking.forNewKey();
        long first = asking.lease(Asking.SHORT).grantedAt(store()).fence();
        backend().passTime(PAUSE);
        ClaimRef takeover = asking.anew().grantedAt(twin());
        store().settle(takeover, Settling.unknown());
        for (int asked = 1; asked < 3; asked++) {
            backend().passTime(PAUSE);
            Asking asker = asking.anew().maxAsks(9);
            long before = backend().storeTimeMicros();
            ClaimAnswer.Reconcile let = told(asker);
            assertThat(let.asked()).isEqualTo(asked);
            assertThat(let.age())
                    .isBetween(
                            RecordMachine.micros(before - first).minus(ROUNDING),
                            RecordMachine.micros(backend().storeTimeMicros() - first)
                                    .plus(ROUNDING));
            twin().settle(asker.ref(let.fence()), Settling.unknown());
        }
    }

    @Test
    void whatIsFoundOutIsReplayedAsItIs() {
        Asking asking = Asking.forNewKey();
        asking.lease(Asking.SHORT).grantedAt(store());
        backend().passTime(PAUSE);
        ClaimRef takeover = asking.anew().grantedAt(twin());
        assertThat(twin().renew(takeover, Asking.LONG)).isEqualTo(DONE);
        assertThat(twin().settle(takeover, Settling.succeeded("taken over"))).isEqualTo(DONE);
        assertThat(asking.anew().at(store()))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("taken over"), false));

        Asking asked = Asking.forNewKey();
        store().settle(asked.grantedAt(store()), Settling.unknown());
        ClaimRef found = asked.anew().reconcilingAt(twin());
        assertThat(twin().renew(found, Asking.LONG)).isEqualTo(DONE);
        assertThat(twin().settle(
                                found,
                                Settling.succeeded(Settling.payload("found"), Asking.LONG, Asking.LONG.dividedBy(2))))
                .isEqualTo(DONE);
        assertThat(asked.anew().at(store()))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("found"), false));
    }

    @Test
    void aFreedKeyForgetsThatItWasAskedAbout() {
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.unknown());
        twin().release(asking.anew().reconcilingAt(twin()));
        ClaimRef next = asking.anew().grantedAt(store());
        store().settle(next, Settling.unknown());
        long before = backend().storeTimeMicros();
        ClaimAnswer.Reconcile let = told(asking.anew().maxAsks(1));
        assertThat(let.asked()).isEqualTo(1);
        assertThat(let.age())
                .isLessThanOrEqualTo(RecordMachine.micros(backend().storeTimeMicros() - next.fence())
                        .plus(ROUNDING));
        assertThat(before).isGreaterThanOrEqualTo(next.fence() - RecordMachine.micros(ROUNDING));
    }

    @Test
    void anOperatorSeesHowOftenItWasAskedAboutAndFromWhenItIsAgain() {
        assumeTrue(abilities().browses(), "the store cannot be browsed");
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.unknown());
        Asking asker = asking.anew();
        ClaimRef let = asker.reconcilingAt(twin());
        long before = backend().storeTimeMicros();
        twin().settle(let, Settling.unknown(Asking.LONG));
        RecordBrowser.Entry entry = browser().find(asking.id()).orElseThrow();
        assertThat(entry.state()).isEqualTo(RecordState.UNKNOWN);
        assertThat(entry.asked()).isEqualTo(1);
        assertThat(entry.resultSize()).isEqualTo(-1);
        assertThat(entry.operation()).isEqualTo(Asking.OPERATION);
        long pause = RecordMachine.micros(Asking.LONG);
        assertThat(entry.askAgainAt()).isBetween(before + pause, backend().storeTimeMicros() + pause);
    }

    private ClaimAnswer.Reconcile told(Asking asking) {
        ClaimAnswer answer = asking.at(twin());
        assertThat(answer).isInstanceOf(ClaimAnswer.Reconcile.class);
        return (ClaimAnswer.Reconcile) answer;
    }
}
