package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Locks that are cut off from their backend. */
abstract class LocksOutageChecks extends LocksLeaseChecks {
    @AfterEach
    void endsTheOutage() {
        outage().end();
    }

    @Test
    @DisplayName("C25: one who is cut off for longer than its lease knows it, and changes nothing when it is back")
    void oneWhoIsCutOffForLongIsToldOnceAndHurtsNobodyLater() {
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = acquired(locks().tryAcquire(key, shortLease()));
        held.onLost(lost::incrementAndGet);
        outage().begin();
        HeldLock newer = acquiredInTheEnd(key);
        assertThat(newer.fence()).isGreaterThan(held.fence());
        Polling.until("the holder is told", () -> lost.get() > 0);
        assertThat(held.isHeld()).isFalse();
        outage().end();
        Polling.until("there is a way back", this::canAcquire);
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(held.renew()).isFalse();
        assertThat(newer.isHeld()).isTrue();
        assertThat(newer.renew()).isTrue();
        assertThat(isRefused(twin(), key)).isTrue();
        assertThat(isRefused(locks(), key)).isTrue();
        assertThat(newer.release()).isEqualTo(LockRelease.DONE);
        assertThat(lost.get()).isEqualTo(1);
        assertThat(acquiredBy(locks(), key, UNTIL_DONE).release()).isEqualTo(LockRelease.DONE);
        areGone(List.of(key));
    }

    /** Acquires it, also if its holder is dead. */
    private HeldLock acquiredInTheEnd(OperationKey key) {
        Duration wait = abilities().deadHolderLasts().plus(limit());
        return Background.run(() -> acquired(twin().acquire(key, UNTIL_DONE, wait)))
                .result(wait.plus(limit()));
    }

    private boolean canAcquire() {
        try {
            return acquired(locks().tryAcquire(newKey(), UNTIL_DONE)).release() == LockRelease.DONE;
        } catch (StoreUnavailableException notYet) {
            return false;
        }
    }

    @Test
    @DisplayName("C88: asking while cut off ends in a typed error in bounded time, and leaves nothing behind")
    void askingWhileCutOffEndsInATypedErrorAndLeavesNothingBehind() {
        OperationKey tried = newKey();
        OperationKey waited = newKey();
        Polling.until("it works", this::canAcquire);
        outage().begin();
        Background<Object> one = Background.run(() -> outcome(() -> locks().tryAcquire(tried, shortLease())));
        Background<Object> other =
                Background.run(() -> outcome(() -> locks().acquire(waited, shortLease(), Duration.ofMillis(300))));
        assertThat(one.result()).isInstanceOf(StoreUnavailableException.class);
        assertThat(other.result()).isInstanceOf(StoreUnavailableException.class);
        outage().end();
        assertThat(acquiredInTheEnd(tried).release()).isEqualTo(LockRelease.DONE);
        assertThat(acquiredInTheEnd(waited).release()).isEqualTo(LockRelease.DONE);
        Polling.until("there is a way back", this::canAcquire);
        areGone(List.of(tried, waited));
    }

    private static Object outcome(Callable<Acquisition<HeldLock>> asking) throws Exception {
        try {
            return asking.call();
        } catch (StoreUnavailableException e) {
            return e;
        }
    }

    @Test
    void aReleaseThatIsCutOffSaysSoAndIsMadeUpForLater() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE.lease(Duration.ofHours(2))));
        AtomicInteger lost = new AtomicInteger();
        outage().begin();
        LockRelease told = Background.run(held::release).result();
        assertThat(told).isIn(LockRelease.UNKNOWN, LockRelease.LOST);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(told);
        held.onLost(lost::incrementAndGet);
        outage().end();
        HeldLock next = acquiredInTheEnd(key);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        Polling.until("there is a way back", this::canAcquire);
        areGone(List.of(key));
    }

    @Test
    void oneWhoWaitsThroughAnOutageGetsIn() {
        OperationKey key = newKey();
        HeldLock held = acquired(twin().tryAcquire(key, UNTIL_DONE));
        Background<HeldLock> waiter = Background.waiting(() -> acquiredBy(locks(), key, UNTIL_DONE));
        outage().begin();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        Polling.during(Duration.ofMillis(200), () -> {});
        outage().end();
        HeldLock next = waiter.result();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        areGone(List.of(key));
    }
}
