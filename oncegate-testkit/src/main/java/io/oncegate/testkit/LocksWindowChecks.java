package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Holds for a window. */
abstract class LocksWindowChecks extends LocksSeveralChecks {
    private static final Duration WINDOW = Duration.ofMillis(400);

    private void hasWindows() {
        assumeTrue(abilities().windows(), "these locks have no windows");
    }

    private static void isOver(HeldLock first, HeldLock next) {
        assertThat(next.fence() - first.fence()).isGreaterThanOrEqualTo(WINDOW.toNanos() / 1_000);
    }

    @Test
    void locksWithoutWindowsSaySo() {
        OperationKey key = newKey();
        LockOptions options = LockOptions.forWindow(WINDOW);
        if (abilities().windows()) {
            assertThat(acquired(locks().tryAcquire(key, options)).release()).isEqualTo(LockRelease.DONE);
        } else {
            assertThatThrownBy(() -> locks().tryAcquire(key, options)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> locks().acquire(key, options, limit()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("a second intent is refused until the window is over, although the first is done")
    void aCompletedHoldRefusesOthersUntilItsWindowIsOver() {
        hasWindows();
        OperationKey key = newKey();
        LockOptions options = LockOptions.forWindow(WINDOW);
        HeldLock first = acquired(locks().tryAcquire(key, options));
        first.close();
        assertThat(first.isHeld()).isFalse();
        Acquisition<HeldLock> second = twin().tryAcquire(key, options);
        while (second instanceof Acquisition.Refused<HeldLock> refused) {
            assertThat(refused.retryAfter()).isPositive();
            Polling.during(Duration.ofMillis(5), () -> {});
            second = twin().tryAcquire(key, options);
        }
        HeldLock next = acquired(second);
        isOver(first, next);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void oneWhoWaitsGetsInAtTheWindowsEnd() {
        hasWindows();
        for (int i = 0; i < 2; i++) {
            int handle = i;
            OperationKey key = newKey();
            HeldLock first = acquired(locks().tryAcquire(key, LockOptions.forWindow(WINDOW)));
            Background<HeldLock> before = Background.run(() -> acquiredBy(handle(handle), key, UNTIL_DONE));
            assertThat(first.complete(null)).isEqualTo(LockRelease.DONE);
            Background<HeldLock> after = Background.run(() -> acquiredBy(handle(handle), key, UNTIL_DONE));
            Polling.until("one of them gets in", () -> before.isDone() || after.isDone());
            HeldLock next = before.isDone() ? before.result() : after.result();
            isOver(first, next);
            assertThat(next.release()).isEqualTo(LockRelease.DONE);
            HeldLock last = before.result() == next ? after.result() : before.result();
            assertThat(last.release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void aReleasedWindowIsFreeAtOnce() {
        hasWindows();
        OperationKey key = newKey();
        LockOptions options = LockOptions.forWindow(LockOptions.MAX_WINDOW);
        HeldLock first = acquired(locks().tryAcquire(key, options));
        Background<HeldLock> waiter = Background.waiting(() -> acquiredBy(locks(), key, options));
        assertThat(first.release()).isEqualTo(LockRelease.DONE);
        assertThat(waiter.result().release()).isEqualTo(LockRelease.DONE);
        HeldLock last = acquired(twin().tryAcquire(key, options));
        assertThat(last.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void aWindowThatIsShorterThanTheWorkFreesNothing() {
        hasWindows();
        OperationKey key = newKey();
        HeldLock first = acquired(locks().tryAcquire(key, LockOptions.forWindow(Duration.ofMillis(1))));
        Background<HeldLock> waiter = Background.waiting(() -> acquiredBy(locks(), key, UNTIL_DONE));
        assertThat(isRefused(twin(), key)).isTrue();
        assertThat(waiter.isDone()).isFalse();
        assertThat(first.complete(null)).isEqualTo(LockRelease.DONE);
        assertThat(waiter.result().release()).isEqualTo(LockRelease.DONE);
    }
}
