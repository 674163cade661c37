package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Signals to those who wait. */
abstract class LockWatchChecks extends LockPassChecks {
    private static LockStore.Watch watch(LockStore store, LockAsking asking, Runnable wake) {
        LockStore.Watch watch = store.watch(asking.id(), wake);
        if (watch == null) {
            throw new AssertionError("the store has no signals, against its abilities");
        }
        return watch;
    }

    @Test
    void aStoreWithoutSignalsSaysSo() {
        assumeFalse(abilities().signals(), "the store has signals");
        assertThat(store().watch(LockAsking.forNewKey().id(), () -> {})).isNull();
    }

    @Test
    void oneWhoWaitsIsToldEachTimeTheLockBecomesFree() {
        assumeTrue(abilities().signals(), "the store has no signals");
        LockAsking asking = LockAsking.forNewKey();
        AtomicInteger here = new AtomicInteger();
        AtomicInteger there = new AtomicInteger();
        try (LockStore.Watch mine = watch(store(), asking, here::incrementAndGet);
                LockStore.Watch others = watch(twin(), asking, there::incrementAndGet)) {
            for (LockEnd end : new LockEnd[] {LockEnd.released(), LockEnding.COMPLETED, LockEnding.with("a result")}) {
                ClaimRef held = asking.anew().grantedAt(store());
                assertThat(asking.anew().waiting().at(twin())).isInstanceOf(LockAnswer.Held.class);
                int hereBefore = here.get();
                int thereBefore = there.get();
                LockEnding.done(store(), held, end);
                Polling.until("a signal on the same handle", () -> here.get() > hereBefore);
                Polling.until("a signal on the other handle", () -> there.get() > thereBefore);
            }
            assertThat(mine).isNotEqualTo(others);
        }
    }

    @Test
    void aClosedWatchIsQuietAndOthersOfTheSameLockAreNot() {
        assumeTrue(abilities().signals(), "the store has no signals");
        LockAsking asking = LockAsking.forNewKey();
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger open = new AtomicInteger();
        LockStore.Watch first = watch(store(), asking, closed::incrementAndGet);
        try (LockStore.Watch second = watch(store(), asking, open::incrementAndGet)) {
            first.close();
            first.close();
            int before = closed.get();
            for (int round = 0; round < 2; round++) {
                ClaimRef held = asking.anew().grantedAt(twin());
                assertThat(asking.anew().waiting().at(store())).isInstanceOf(LockAnswer.Held.class);
                int heard = open.get();
                LockEnding.done(twin(), held, LockEnd.released());
                Polling.until("a signal on the open watch", () -> open.get() > heard);
            }
            assertThat(closed.get()).isEqualTo(before);
            assertThat(second).isNotEqualTo(first);
        }
        // watched again after all watches were closed
        try (LockStore.Watch again = watch(store(), asking, closed::incrementAndGet)) {
            ClaimRef held = asking.anew().grantedAt(twin());
            assertThat(asking.anew().waiting().at(store())).isInstanceOf(LockAnswer.Held.class);
            int heard = closed.get();
            LockEnding.done(twin(), held, LockEnd.released());
            Polling.until("a signal on the new watch", () -> closed.get() > heard);
            assertThat(again).isNotNull();
        }
    }
}
