package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordBrowser.Page;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators and housekeepers do: browse, forget, purge, restart; as far as the store is able to. */
abstract class RecordUpkeepChecks extends RecordInquiryChecks {
    private static final Duration WELL_PAST = Duration.ofMillis(10);
    private static final Settlement BRIEF = Settling.succeeded(Settling.payload("brief"), Asking.SHORT, Asking.SHORT);

    @Test
    @DisplayName("C97: a purge takes what is due, in batches, and nothing that is live, running, abandoned or unknown")
    void aPurgeTakesWhatIsDueAndNothingElse() {
        assumeTrue(abilities().purges(), "the store has no purge of its own");
        List<Asking> due = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Asking asking = Asking.forNewKey();
            store().settle(asking.grantedAt(store()), BRIEF);
            due.add(asking);
        }
        Asking running = Asking.forNewKey();
        ClaimRef runner = running.grantedAt(store());
        Asking abandoned = Asking.forNewKey();
        ClaimRef abandoner = abandoned.lease(Asking.SHORT).grantedAt(store());
        Asking settled = Asking.forNewKey();
        store().settle(settled.grantedAt(store()), Settling.succeeded("kept"));
        Asking unknown = Asking.forNewKey();
        store().settle(
                        unknown.grantedAt(store()),
                        new Settlement(RecordState.UNKNOWN, null, Asking.SHORT, Asking.SHORT));
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));

        assertThat(purger().purge(2))
                .satisfies(batch ->
                        assertThat(batch.deleted() + batch.resultsDropped()).isLessThanOrEqualTo(2));
        Sweeping.untilNothingIsDue(purger());
        for (Asking asking : due) {
            assertThat(asking.anew().payload(Asking.OTHER_PAYLOAD).at(twin())).isInstanceOf(ClaimAnswer.Granted.class);
        }
        assertThat(running.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(twin().settle(runner, Settling.succeeded("x"))).isEqualTo(DONE);
        assertThat(abandoned.payload(Asking.OTHER_PAYLOAD).at(twin())).isInstanceOf(ClaimAnswer.Mismatch.class);
        assertThat(twin().settle(abandoner, Settling.succeeded("x"))).isEqualTo(DONE);
        assertThat(settled.anew().at(twin())).isInstanceOf(ClaimAnswer.Replay.class);
        assertThat(unknown.anew().at(twin())).isEqualTo(Untimed.unknown());
    }

    @Test
    void aPurgeDropsResultsThatAreOverAndLeavesTheirTombstones() {
        assumeTrue(abilities().purges(), "the store has no purge of its own");
        Asking asking = Asking.forNewKey();
        Settlement settlement = Settling.succeeded(Settling.payload("brief"), Asking.LONG, Asking.SHORT);
        ClaimRef claim = asking.grantedAt(store());
        store().settle(claim, settlement);
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));
        Sweeping.untilNothingIsDue(purger());
        if (abilities().browses()) {
            assertThat(browser().find(asking.id()))
                    .hasValueSatisfying(entry -> assertThat(entry.resultSize()).isEqualTo(-1));
        }
        assertThat(asking.anew().at(twin())).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
        assertThat(twin().settle(claim, settlement)).isEqualTo(DONE);
        assertThat(asking.anew().payload(Asking.OTHER_PAYLOAD).at(twin()))
                .isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
    }

    @Test
    void aReleasedRecordKeepsItsFenceUntilTheMarginIsOver() {
        assumeTrue(
                abilities().purges() && abilities().browses(),
                "the store has no purge of its own, or cannot be browsed");
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        store().release(claim);
        Sweeping.untilNothingIsDue(purger());
        long due = claim.fence() + abilities().sweepMargin().toNanos() / 1000;
        boolean there = browser().find(asking.id()).isPresent();
        assertThat(there || backend().storeTimeMicros() >= due).isTrue();
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));
        Sweeping.untilNothingIsDue(purger());
        assertThat(browser().find(asking.id())).isEmpty();
    }

    @Test
    void manyPurgersAtOnceDoNotDisturbEachOtherOrTheClaims() {
        assumeTrue(abilities().purges(), "the store has no purge of its own");
        List<Asking> due = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Asking asking = Asking.forNewKey();
            store().settle(asking.grantedAt(store()), BRIEF);
            due.add(asking);
        }
        backend().passTime(abilities().sweepMargin().plus(WELL_PAST));
        DuplicateStorm.of(4, Polling.longLimit(), copy -> () -> {
                    if (copy == 0) {
                        due.forEach(asking -> asking.anew().grantedAt(twin()));
                    } else {
                        Sweeping.untilNothingIsDue(purger());
                    }
                    return copy;
                })
                .allReturned();
        for (Asking asking : due) {
            assertThat(asking.anew().at(store())).isInstanceOf(ClaimAnswer.Held.class);
        }
    }

    @Test
    void anOperatorForgetsWhatNobodyHolds() {
        assumeTrue(abilities().browses(), "the store cannot be browsed");
        assertThat(browser().forget(Asking.forNewKey().id())).isEqualTo(ForgetAnswer.ABSENT);

        Asking held = Asking.forNewKey();
        ClaimRef holder = held.grantedAt(store());
        assertThat(browser().forget(held.id())).isEqualTo(ForgetAnswer.HELD);
        assertThat(store().release(holder)).isEqualTo(DONE);
        assertThat(browser().forget(held.id())).isEqualTo(ForgetAnswer.ABSENT);

        Asking reconciling = Asking.forNewKey();
        store().settle(reconciling.grantedAt(store()), Settling.unknown());
        ClaimRef reconciler = reconciling.anew().reconcilingAt(twin());
        assertThat(browser().forget(reconciling.id())).isEqualTo(ForgetAnswer.HELD);
        assertThat(twin().settle(reconciler, Settling.unknown())).isEqualTo(DONE);
        isForgotten(reconciling, reconciler);

        Asking settled = Asking.forNewKey();
        ClaimRef settler = settled.grantedAt(store());
        store().settle(settler, Settling.succeeded("x"));
        isForgotten(settled, settler);

        Asking abandoned = Asking.forNewKey();
        ClaimRef abandoner = abandoned.lease(Asking.SHORT).grantedAt(store());
        backend().passTime(WELL_PAST);
        isForgotten(abandoned, abandoner);
    }

    private void isForgotten(Asking asking, ClaimRef last) {
        assertThat(browser().forget(asking.id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(store().settle(last, Settling.succeeded("late"))).isEqualTo(LOST);
        assertThat(browser().forget(asking.id())).isEqualTo(ForgetAnswer.ABSENT);
        ClaimRef next = asking.anew().payload(Asking.OTHER_PAYLOAD).grantedAt(twin());
        assertThat(next.fence()).isGreaterThan(last.fence());
    }

    @Test
    void anOperatorSeesRecordsByOperationAndState() {
        assumeTrue(abilities().browses(), "the store cannot be browsed");
        String operation = "browse." + UUID.randomUUID();
        Set<RecordId> running = new HashSet<>();
        Set<RecordId> refused = new HashSet<>();
        for (int i = 0; i < 7; i++) {
            Asking asking = Asking.forNewKey().named(operation);
            ClaimRef claim = asking.grantedAt(store());
            if (i % 2 == 0) {
                running.add(asking.id());
            } else {
                store().settle(claim, Settling.refused("four"));
                refused.add(asking.id());
            }
        }
        assertThat(ids(browse(operation, RecordState.RUNNING, 2))).isEqualTo(running);
        assertThat(ids(browse(operation, RecordState.REFUSED, 1000))).isEqualTo(refused);
        assertThat(browse(operation, RecordState.UNKNOWN, 3)).isEmpty();
        List<Entry> all = browse(operation, null, 3);
        assertThat(ids(all)).hasSize(7);
        for (Entry entry : all) {
            boolean isRunning = running.contains(entry.id());
            assertThat(browser().find(entry.id())).contains(entry);
            assertThat(entry.operation()).isEqualTo(operation);
            assertThat(entry.state()).isEqualTo(isRunning ? RecordState.RUNNING : RecordState.REFUSED);
            assertThat(entry.resultSize()).isEqualTo(isRunning ? -1 : 4);
            assertThat(entry.leaseEnd() > entry.fence()).isEqualTo(isRunning);
            assertThat(entry.expiresAt()).isGreaterThan(entry.fence());
        }
        assertThat(browser().find(Asking.forNewKey().id())).isEmpty();
    }

    private List<Entry> browse(String operation, @Nullable RecordState state, int limit) {
        List<Entry> entries = new ArrayList<>();
        String after = null;
        do {
            Page page = browser().browse(new Query(operation, state, limit, after));
            entries.addAll(page.entries());
            after = page.next();
        } while (after != null);
        return entries;
    }

    private static Set<RecordId> ids(List<Entry> entries) {
        Set<RecordId> ids = new HashSet<>();
        entries.forEach(entry -> ids.add(entry.id()));
        return ids;
    }

    @Test
    @DisplayName("C46: records answer, and refuse another payload, after a restart of the backend")
    void recordsAnswerAfterARestart() {
        assumeTrue(backend() instanceof RestartableBackend, "the backend cannot be restarted");
        Asking settled = Asking.forNewKey();
        ClaimRef claim = settled.grantedAt(store());
        store().settle(claim, Settling.succeeded("kept"));
        Asking running = Asking.forNewKey();
        ClaimRef runner = running.grantedAt(store());
        ((RestartableBackend) backend()).restart();
        if (abilities().survivesRestart()) {
            for (RecordStore handle : new RecordStore[] {store(), twin()}) {
                assertThat(settled.anew().at(handle)).isInstanceOf(ClaimAnswer.Replay.class);
                assertThat(settled.anew().payload(Asking.OTHER_PAYLOAD).at(handle))
                        .isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
                assertThat(running.anew().at(handle)).isInstanceOf(ClaimAnswer.Held.class);
            }
            assertThat(twin().settle(runner, Settling.succeeded("x"))).isEqualTo(DONE);
        } else {
            ClaimAnswer answer = running.anew().at(twin());
            if (answer instanceof ClaimAnswer.Granted granted) {
                assertThat(granted.fence()).isGreaterThan(runner.fence());
            }
        }
    }
}
