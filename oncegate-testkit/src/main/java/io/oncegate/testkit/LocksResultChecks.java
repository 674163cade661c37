package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Those who take the winner's result. */
abstract class LocksResultChecks extends LocksWindowChecks {
    private static final LockOptions TAKING = UNTIL_DONE.takingResult();
    private static final Payload RESULT = LockEnding.payload("the winner's result");

    private void hasResults() {
        assumeTrue(abilities().results(), "these locks give no results");
    }

    private Callable<Acquisition<HeldLock>> waiter(int handle, OperationKey key) {
        return () -> handle(handle).acquire(key, TAKING, limit());
    }

    private List<Background<Acquisition<HeldLock>>> waiting(int many, OperationKey key) {
        List<Callable<Acquisition<HeldLock>>> calls = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            calls.add(waiter(i, key));
        }
        return Background.allWaiting(calls);
    }

    @Test
    void locksWithoutResultsSaySo() {
        OperationKey key = newKey();
        if (abilities().results()) {
            assertThat(acquired(locks().tryAcquire(key, TAKING)).release()).isEqualTo(LockRelease.DONE);
        } else {
            assertThatThrownBy(() -> locks().tryAcquire(key, TAKING)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> locks().acquire(key, TAKING, limit()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("all who were waiting for a run are given its result, here and elsewhere")
    void allWhoWereWaitingAreGivenTheResult() {
        hasResults();
        for (Payload result : List.of(RESULT, Payload.of(new byte[0]))) {
            OperationKey key = newKey();
            HeldLock winner = acquired(locks().tryAcquire(key, TAKING));
            List<Background<Acquisition<HeldLock>>> waiters = waiting(6, key);
            assertThat(winner.complete(result)).isEqualTo(LockRelease.DONE);
            for (Background<Acquisition<HeldLock>> waiter : waiters) {
                assertThat(waiter.result()).isEqualTo(new Acquisition.Answered<>(key, result));
            }
            // one who comes later has not met it, and runs
            HeldLock later = acquired(twin().tryAcquire(key, TAKING));
            assertThat(later.release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void whereTheWinnerFailsTheNextOneRunsAndItsResultIsGiven() {
        hasResults();
        OperationKey key = newKey();
        HeldLock failing = acquired(locks().tryAcquire(key, TAKING));
        List<Background<Acquisition<HeldLock>>> waiters = waiting(4, key);
        assertThat(failing.release()).isEqualTo(LockRelease.DONE);
        Polling.until("one of them runs", () -> waiters.stream().anyMatch(Background::isDone));
        Background<Acquisition<HeldLock>> next =
                waiters.stream().filter(Background::isDone).findFirst().orElseThrow();
        assertThat(acquired(next.result()).complete(RESULT)).isEqualTo(LockRelease.DONE);
        waiters.stream()
                .filter(waiter -> waiter != next)
                .forEach(waiter -> assertThat(waiter.result()).isEqualTo(new Acquisition.Answered<>(key, RESULT)));
    }

    @Test
    void onlyThoseWhoTakeItAreGivenAResult() {
        hasResults();
        OperationKey key = newKey();
        HeldLock winner = acquired(locks().tryAcquire(key, UNTIL_DONE));
        Background<HeldLock> here = Background.waiting(() -> acquiredBy(locks(), key, UNTIL_DONE));
        Background<HeldLock> there = Background.waiting(() -> acquiredBy(twin(), key, UNTIL_DONE));
        assertThat(winner.complete(RESULT)).isEqualTo(LockRelease.DONE);
        Polling.until("one of them gets in", () -> here.isDone() || there.isDone());
        Background<HeldLock> first = here.isDone() ? here : there;
        assertThat(first.result().complete(null)).isEqualTo(LockRelease.DONE);
        assertThat((first == here ? there : here).result().complete(null)).isEqualTo(LockRelease.DONE);
    }

    @Test
    void aRunWithoutAResultLetsTheNextOneRun() {
        hasResults();
        for (int i = 0; i < 2; i++) {
            OperationKey key = newKey();
            HeldLock winner = acquired(locks().tryAcquire(key, TAKING));
            Background<Acquisition<HeldLock>> waiter = Background.waiting(waiter(i, key));
            assertThat(winner.complete(null)).isEqualTo(LockRelease.DONE);
            assertThat(acquired(waiter.result()).release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void withinTheWindowTheResultGoesToAllWhoTakeIt() {
        hasResults();
        assumeTrue(abilities().windows(), "these locks have no windows");
        OperationKey key = newKey();
        LockOptions window = LockOptions.forWindow(Duration.ofHours(1));
        HeldLock winner = acquired(locks().tryAcquire(key, window.takingResult()));
        assertThat(winner.complete(RESULT)).isEqualTo(LockRelease.DONE);
        for (int i = 0; i < 2; i++) {
            assertThat(handle(i).tryAcquire(key, window.takingResult()))
                    .isEqualTo(new Acquisition.Answered<>(key, RESULT));
            assertThat(handle(i).tryAcquire(key, window)).isInstanceOf(Acquisition.Refused.class);
        }
    }
}
