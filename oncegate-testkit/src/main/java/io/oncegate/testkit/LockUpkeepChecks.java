package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the backend keeps, and for how long. */
abstract class LockUpkeepChecks extends LockRaceChecks {
    private void marginPasses() {
        backend().passTime(abilities().sweepMargin().multipliedBy(2).plusMillis(10));
    }

    private void goes(RecordId id) {
        Polling.until("the lock has gone", () -> {
            sweep();
            if (!kept(id)) {
                return true;
            }
            backend().passTime(Duration.ofMillis(1));
            return false;
        });
    }

    @Test
    void anEndedLockGoesAfterTheMarginAndFencesStillRise() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = asking.grantedAt(store());
        LockEnding.done(store(), first, LockEnd.released());
        goes(asking.id());
        assertThat(backend().storeTimeMicros())
                .isGreaterThanOrEqualTo(first.fence() + micros(abilities().sweepMargin()));
        assertThat(store().renew(first, LockAsking.LONG)).isEqualTo(HolderAnswer.LOST);
        assertThat(store().pass(first, asking.anew().request())).isEmpty();
        assertThat(asking.anew().grantedAt(twin()).fence()).isGreaterThan(first.fence());
    }

    @Test
    void anAbandonedLockGoesByItself() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef abandoned = asking.lease(LockAsking.SHORT).grantedAt(store());
        goes(asking.id());
        assertThat(store().end(abandoned, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
        assertThat(asking.anew().grantedAt(twin()).fence()).isGreaterThan(abandoned.fence());
    }

    @Test
    void aHeldLockNeverGoes() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef held = asking.grantedAt(store());
        marginPasses();
        sweep();
        assertThat(kept(asking.id())).isTrue();
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Held.class);
        LockEnding.done(twin(), held, LockEnd.released());
    }

    @Test
    void aRenewedLockStaysForItsNewLease() {
        Duration brief = Duration.ofMillis(500);
        ClaimRef held = before(brief, () -> {
            ClaimRef granted = LockAsking.forNewKey().lease(brief).grantedAt(store());
            assertThat(store().renew(granted, LockAsking.LONG)).isEqualTo(HolderAnswer.DONE);
            return granted;
        });
        backend().passTime(brief);
        marginPasses();
        sweep();
        assertThat(LockAsking.forId(held.id()).at(twin())).isInstanceOf(LockAnswer.Held.class);
        LockEnding.done(twin(), held, LockEnd.released());
    }

    @Test
    void anOpenWindowStaysAlthoughItsHoldIsOver() {
        LockAsking completed = LockAsking.forNewKey().window(LockAsking.LONG);
        LockEnding.done(store(), completed.grantedAt(store()), LockEnding.COMPLETED);
        marginPasses();
        sweep();
        assertThat(kept(completed.id())).isTrue();
        assertThat(completed.anew().at(twin())).isInstanceOf(LockAnswer.Held.class);
    }

    @Test
    void anOpenWindowStaysAlthoughItsHolderDied() {
        LockAsking dead = LockAsking.forNewKey().lease(LockAsking.SHORT).window(LockAsking.LONG);
        dead.grantedAt(store());
        marginPasses();
        sweep();
        assertThat(dead.anew().at(twin())).isInstanceOf(LockAnswer.Held.class);
    }

    @Test
    void aResultStaysForItsRetentionAlsoOverLaterRuns() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef run = asking.grantedAt(store());
        LockEnding.done(store(), run, LockEnding.with("kept"));
        marginPasses();
        sweep();
        isKeptSince(run, asking);
        LockEnding.done(store(), asking.anew().grantedAt(store()), LockEnd.released());
        asking.anew().lease(LockAsking.SHORT).grantedAt(store());
        marginPasses();
        sweep();
        isKeptSince(run, asking);
    }

    private void isKeptSince(ClaimRef run, LockAsking asking) {
        assertThat(asking.anew().takingResultSince(run.fence()).at(twin()))
                .isEqualTo(new LockAnswer.Result(LockEnding.payload("kept")));
    }

    @Test
    void aWindowAndAResultGoWhenTheyAreOver() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.SHORT);
        ClaimRef run = asking.grantedAt(store());
        LockEnding.done(store(), run, LockEnding.with(LockEnding.payload("brief"), LockAsking.SHORT));
        goes(asking.id());
        assertThat(asking.anew()
                        .takingResultSince(run.fence())
                        .grantedAt(twin())
                        .fence())
                .isGreaterThan(run.fence());
    }
}
