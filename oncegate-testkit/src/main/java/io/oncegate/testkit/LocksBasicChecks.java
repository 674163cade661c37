package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one holder and one asker see. */
abstract class LocksBasicChecks extends LocksFixture {
    @Test
    void aHeldLockIsRefusedToAllOthersWithTheTimeThatIsLeft() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.remaining()).isPositive();
        assertThat(held.key()).isEqualTo(key);
        for (int i = 0; i < 2; i++) {
            Acquisition<HeldLock> other = handle(i).tryAcquire(key, UNTIL_DONE);
            assertThat(other).isInstanceOfSatisfying(Acquisition.Refused.class, refused -> {
                assertThat(refused.retryAfter()).isPositive();
                assertThat(refused.key()).isEqualTo(key);
            });
            assertThatThrownBy(other::orElseThrow).isInstanceOf(InProgressException.class);
        }
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);
        assertThat(acquiredBy(twin(), key, UNTIL_DONE).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void aLockIsFreeAfterEachKindOfEnd() {
        OperationKey key = newKey();
        long last = 0;
        for (int i = 0; i < 12; i++) {
            HeldLock held = acquired(handle(i).tryAcquire(key, UNTIL_DONE));
            assertThat(held.fence()).isGreaterThan(last);
            last = held.fence();
            switch (i % 3) {
                case 0 -> assertThat(held.release()).isEqualTo(LockRelease.DONE);
                case 1 -> assertThat(held.complete(null)).isEqualTo(LockRelease.DONE);
                default -> held.close();
            }
        }
    }

    @Test
    @DisplayName("C12a: a lock belongs to its handle and not to a thread")
    void anyThreadMayRenewAndReleaseALock() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        assertThat(Background.run(held::renew).result()).isTrue();
        assertThat(isRefused(locks(), key))
                .as("the same thread's second acquisition")
                .isTrue();
        assertThat(Background.run(held::release).result()).isEqualTo(LockRelease.DONE);
        assertThat(acquired(locks().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void endingAnEndedLockIsQuietAndSaysTheSame() {
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        held.onLost(lost::incrementAndGet);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        HeldLock next = acquired(twin().tryAcquire(key, UNTIL_DONE));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(held.complete(null)).isEqualTo(LockRelease.DONE);
        held.close();
        assertThat(held.renew()).isFalse();
        assertThat(held.isHeld()).isFalse();
        assertThat(isRefused(locks(), key)).isTrue();
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        held.onLost(lost::incrementAndGet);
        assertThat(lost.get()).isZero();
    }

    @Test
    void onlyEqualKeysExcludeEachOther() {
        String value = UUID.randomUUID().toString();
        List<OperationKey> keys = new ArrayList<>();
        keys.add(OperationKey.of("testkit.locks", Scope.of("a"), value));
        keys.add(OperationKey.of("testkit.locks", Scope.of("b"), value));
        keys.add(OperationKey.of("testkit.locks", Scope.of("A"), value));
        keys.add(OperationKey.of("testkit.locks", Scope.of("a", "b"), value));
        keys.add(OperationKey.of("testkit.Locks", Scope.of("a"), value));
        keys.add(OperationKey.of("testkit.locks", Scope.of("a"), value + " "));
        Scope mark = Scope.of(value);
        OddKeys.values().forEach(odd -> keys.add(OperationKey.of("testkit.locks", mark, odd)));
        areHeldAtOnce(keys);
    }

    @Test
    @DisplayName("C23: many locks are held at once, and none of them goes before it is released")
    void manyKeysAreHeldAtOnce() {
        List<OperationKey> keys = new ArrayList<>();
        for (int i = 0; i < abilities().manyKeys(); i++) {
            keys.add(newKey());
        }
        areHeldAtOnce(keys);
    }

    private void areHeldAtOnce(List<OperationKey> keys) {
        List<HeldLock> held = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            held.add(acquired(handle(i).tryAcquire(keys.get(i), UNTIL_DONE)));
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(isRefused(handle(i / 2), keys.get(i))).as("key %d", i).isTrue();
            assertThat(held.get(i).isHeld()).isTrue();
            assertThat(held.get(i).release()).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void closedLocksGiveNoMoreAndWhatIsHeldCanBeEnded() {
        OperationKey key = newKey();
        Locks closing = doomed().locks();
        HeldLock held = acquired(closing.tryAcquire(key, UNTIL_DONE));
        closing.close();
        closing.close();
        assertThatThrownBy(() -> closing.tryAcquire(newKey(), UNTIL_DONE)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closing.acquire(newKey(), UNTIL_DONE, limit()))
                .isInstanceOf(IllegalStateException.class);
        assertThat(isRefused(twin(), key)).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(acquiredBy(twin(), key, UNTIL_DONE).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C27c: nothing is left over of locks that have ended, been refused or been waited for")
    void nothingIsLeftOver() throws InterruptedException {
        List<OperationKey> keys = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            OperationKey key = newKey();
            keys.add(key);
            HeldLock held = acquired(handle(i).tryAcquire(key, UNTIL_DONE));
            assertThat(isRefused(handle(i + 1), key)).isTrue();
            assertThat(locks().acquire(key, UNTIL_DONE, Duration.ofMillis(2))).isInstanceOf(Acquisition.Refused.class);
            assertThat(leftOvers(key)).isPositive();
            assertThat(i % 2 == 0 ? held.release() : held.complete(null)).isEqualTo(LockRelease.DONE);
        }
        areGone(keys);
    }

    final boolean isRefused(Locks by, OperationKey key) {
        return by.tryAcquire(key, UNTIL_DONE) instanceof Acquisition.Refused;
    }

    final void areGone(List<OperationKey> keys) {
        Polling.until("nothing is left over", abilities().leftOversLast().plus(limit()), () -> {
            sweep();
            return keys.stream().mapToLong(this::leftOvers).sum() == 0;
        });
    }
}
