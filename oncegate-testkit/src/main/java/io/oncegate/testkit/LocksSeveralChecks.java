package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.HeldLocks;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Several keys at once. */
abstract class LocksSeveralChecks extends LocksInterruptChecks {
    private HeldLocks all(int handle, List<OperationKey> keys) throws InterruptedException {
        return handle(handle).acquireAll(keys, UNTIL_DONE, limit()).orElseThrow();
    }

    @Test
    @DisplayName("C24: two who lock the same keys in opposite order never wait for each other")
    void oppositeOrdersNeverDeadLock() {
        OperationKey first = newKey();
        OperationKey second = newKey();
        OperationKey third = newKey();
        int rounds = abilities().rounds();
        DuplicateStorm.of(4, limit().multipliedBy(2), copy -> () -> {
                    List<OperationKey> keys = switch (copy) {
                        case 0 -> List.of(first, second, third);
                        case 1 -> List.of(third, second, first);
                        case 2 -> List.of(second, first);
                        default -> List.of(third, first);
                    };
                    for (int round = 0; round < rounds; round++) {
                        HeldLocks held = all(copy, keys);
                        assertThat(held.isHeld()).isTrue();
                        assertThat(round % 2 == 0 ? held.release() : held.complete())
                                .isEqualTo(LockRelease.DONE);
                    }
                    return copy;
                })
                .allReturned();
        areGone(List.of(first, second, third));
    }

    @Test
    @DisplayName("C24: equal keys count once")
    void equalKeysCountOnce() throws InterruptedException {
        OperationKey first = newKey();
        OperationKey second = newKey();
        OperationKey same = OperationKey.of(first.operation(), first.scope(), first.value());
        HeldLocks held = all(0, List.of(first, first, second, same, first));
        assertThat(held.locks()).hasSize(2);
        assertThat(held.of(same).fence()).isEqualTo(held.of(first).fence());
        assertThat(held.of(second).isHeld()).isTrue();
        OperationKey other = newKey();
        assertThatThrownBy(() -> held.of(other)).isInstanceOf(IllegalArgumentException.class);
        assertThat(isRefused(twin(), first)).isTrue();
        assertThat(isRefused(twin(), second)).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        HeldLocks again = all(1, List.of(second, first));
        again.close();
        areGone(List.of(first, second));
    }

    @Test
    @DisplayName("C24: where one is refused, none is kept")
    void whereOneIsRefusedNoneIsKept() throws InterruptedException {
        List<OperationKey> keys = List.of(newKey(), newKey(), newKey());
        for (OperationKey taken : keys) {
            HeldLock held = acquired(twin().tryAcquire(taken, UNTIL_DONE));
            for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
                Acquisition<HeldLocks> refused = locks().acquireAll(keys, UNTIL_DONE, wait);
                assertThat(refused)
                        .isInstanceOfSatisfying(
                                Acquisition.Refused.class,
                                told -> assertThat(told.key()).isEqualTo(taken));
                areFreeBut(taken, keys);
            }
            assertThat(held.release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void anInterruptedWaitForOneOfSeveralKeepsNone() {
        List<OperationKey> keys = List.of(newKey(), newKey(), newKey());
        for (OperationKey taken : keys) {
            HeldLock held = acquired(twin().tryAcquire(taken, UNTIL_DONE));
            Background<Boolean> waiter = Background.waiting(() -> {
                try {
                    return all(0, keys).isHeld();
                } catch (InterruptedException e) {
                    return false;
                }
            });
            waiter.interrupt();
            assertThat(waiter.result()).isFalse();
            areFreeBut(taken, keys);
            assertThat(held.release()).isEqualTo(LockRelease.DONE);
        }
    }

    private void areFreeBut(OperationKey taken, List<OperationKey> keys) {
        for (OperationKey key : keys) {
            if (key.equals(taken)) {
                assertThat(isRefused(locks(), key)).isTrue();
            } else {
                assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release())
                        .isEqualTo(LockRelease.DONE);
            }
        }
    }

    @Test
    void noKeyAndResultsOfSeveralAreRefused() {
        assertThatThrownBy(() -> locks().acquireAll(List.of(), UNTIL_DONE, limit()))
                .isInstanceOf(IllegalArgumentException.class);
        OperationKey key = newKey();
        assertThatThrownBy(() -> locks().acquireAll(List.of(key), UNTIL_DONE.takingResult(), limit()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }
}
