package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Operation;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.testkit.FaultyLockStore.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What locks ask their store, and what they tell their listeners. */
class LeasedLocksRulesTest {
    private static final LockOptions OPTIONS = LockOptions.untilDone();
    private static final Duration LONG = Duration.ofSeconds(60);

    private final TestClock clock = new TestClock();
    private final FaultyLockStore store = new FaultyLockStore(new MemoryLockStore(1_000, clock, Duration.ofSeconds(1)));
    private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();
    private final Locks locks = LeasedLocks.builder(store)
            .listener(event -> {
                throw new IllegalStateException("a listener that fails hurts nobody");
            })
            .listener(events::add)
            .build();
    private final OperationKey key = LocksFixture.newKey();

    @AfterEach
    void closes() {
        locks.close();
    }

    private HeldLock held(LockOptions options) {
        return LocksFixture.acquired(locks.tryAcquire(key, options));
    }

    private List<Kind> kinds() {
        return events.stream().map(LockEvent::kind).toList();
    }

    @Test
    void listenersAreToldOfLocksThatAreGivenAndRefused() throws InterruptedException {
        HeldLock held = held(OPTIONS);
        var refused = locks.tryAcquire(key, OPTIONS);
        assertThat(refused).isInstanceOf(Acquisition.Refused.class);
        assertThat(locks.acquire(key, OPTIONS, Duration.ofMillis(2))).isInstanceOf(Acquisition.Refused.class);
        Background<Acquisition<HeldLock>> waiter =
                Background.waiting(() -> locks.acquire(key, OPTIONS.takingResult(), LONG));
        assertThat(held.complete(LockEnding.payload("result"))).isEqualTo(LockRelease.DONE);
        assertThat(waiter.result()).isInstanceOf(Acquisition.Answered.class);
        assertThat(kinds()).containsExactly(Kind.ACQUIRED, Kind.REFUSED, Kind.REFUSED, Kind.ANSWERED);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.key()).isEqualTo(key);
            assertThat(event.store()).isEqualTo("memory");
        });
    }

    @Test
    void aLossIsToldOnceAlsoIfItsHolderReleasesIt() {
        HeldLock held = held(OPTIONS.lease(Duration.ofMillis(300)));
        clock.advance(Duration.ofHours(1)); // the store's clock decides: the next renewal finds the lock lost
        Polling.until("the loss is told", () -> kinds().contains(Kind.LOST));
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(kinds()).containsExactly(Kind.ACQUIRED, Kind.LOST);
    }

    @Test
    void aLossThatIsOnlyFoundAtTheReleaseIsToldToo() {
        HeldLock held = held(OPTIONS.lease(Duration.ofMinutes(30)));
        clock.advance(Duration.ofHours(1));
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(kinds()).containsExactly(Kind.ACQUIRED, Kind.LOST);
    }

    @Test
    void aStoreThatIsDownIsTold() {
        HeldLock held = held(OPTIONS);
        store.down(true);
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        OperationKey other = LocksFixture.newKey();
        try {
            var ignored = locks.tryAcquire(other, OPTIONS);
        } catch (io.oncegate.core.error.StoreUnavailableException expected) {
            assertThat(expected).isNotNull();
        }
        assertThat(kinds()).containsExactly(Kind.ACQUIRED, Kind.RELEASE_UNKNOWN, Kind.STORE_DOWN);
    }

    @Test
    void thoseWhoWaitBehindAHolderHereAskNothingAndArePassedTheLockInOneStep() {
        HeldLock held = held(OPTIONS);
        List<Background<HeldLock>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(Background.waiting(() -> LocksFixture.acquired(locks.acquire(key, OPTIONS, LONG))));
        }
        Polling.during(
                Duration.ofMillis(300),
                () -> assertThat(store.calls(Method.ACQUIRE)).isEqualTo(1));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        for (Background<HeldLock> waiter : waiters) {
            assertThat(waiter.result().release()).isEqualTo(LockRelease.DONE);
        }
        // after a while, on a slow machine, it is let go instead
        int passed = store.calls(Method.PASS);
        assertThat(passed).isBetween(1, 3);
        assertThat(store.calls(Method.END)).isEqualTo(4 - passed);
    }

    @Test
    void ofManyWhoWaitForAHolderElsewhereOneAsksNowAndThen() {
        FaultyLockStore theirs = new FaultyLockStore(store);
        try (Locks elsewhere = LeasedLocks.of(theirs)) {
            HeldLock held = held(OPTIONS.lease(Duration.ofHours(1)));
            List<Background<LockRelease>> waiters = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                waiters.add(Background.run(() -> LocksFixture.acquired(elsewhere.acquire(key, OPTIONS, LONG))
                        .release()));
            }
            Polling.during(Duration.ofSeconds(1), () -> {});
            assertThat(theirs.calls(Method.ACQUIRE)).isBetween(1, 8);
            assertThat(held.release()).isEqualTo(LockRelease.DONE);
            waiters.forEach(waiter -> assertThat(waiter.result()).isEqualTo(LockRelease.DONE));
        }
    }

    @Test
    void aLockIsLetGoNowAndThenForThoseWhoWaitElsewhere() {
        HeldLock held = held(OPTIONS);
        List<Background<LockRelease>> waiters = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiters.add(Background.run(() -> {
                HeldLock mine = LocksFixture.acquired(locks.acquire(key, OPTIONS, LONG));
                Polling.during(Duration.ofMillis(4), () -> {});
                return mine.release();
            }));
        }
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        waiters.forEach(waiter -> assertThat(waiter.result()).isEqualTo(LockRelease.DONE));
        assertThat(store.calls(Method.PASS)).isGreaterThanOrEqualTo(1);
        // the last one, and some of the others
        assertThat(store.calls(Method.END)).isGreaterThanOrEqualTo(2);
    }

    @Test
    void renewalsEndWhenTheLocksAreClosed() {
        HeldLock held = held(OPTIONS.lease(Duration.ofMillis(150)));
        Polling.until("it is renewed", () -> store.calls(Method.RENEW) >= 2);
        locks.close();
        Polling.until("its lease runs out", () -> !held.isHeld());
        int renewals = store.calls(Method.RENEW);
        Polling.during(
                Duration.ofMillis(300),
                () -> assertThat(store.calls(Method.RENEW)).isLessThanOrEqualTo(renewals + 1));
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);
    }

    @Test
    void aResultThatIsTooLargeIsNotShared() {
        HeldLock held = held(OPTIONS.takingResult());
        Background<Acquisition<HeldLock>> waiter =
                Background.waiting(() -> locks.acquire(key, OPTIONS.takingResult(), LONG));
        Payload large = Payload.of(new byte[Operation.DEFAULT_MAX_RESULT_BYTES + 1]);
        assertThat(held.complete(large)).isEqualTo(LockRelease.DONE);
        assertThat(LocksFixture.acquired(waiter.result()).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void withoutSignalsWaitersAskAgainAndEveryWatchIsClosed() {
        AtomicInteger open = new AtomicInteger();
        LockStore watched = new Watching(store, open);
        LockStore silent = new Watching(store, null);
        try (Locks listening = LeasedLocks.of(watched);
                Locks asking = LeasedLocks.of(silent)) {
            for (Locks waiting : List.of(listening, asking)) {
                HeldLock held = held(OPTIONS.lease(Duration.ofHours(1)));
                Background<HeldLock> waiter =
                        Background.waiting(() -> LocksFixture.acquired(waiting.acquire(key, OPTIONS, LONG)));
                assertThat(open.get()).isEqualTo(waiting == listening ? 1 : 0);
                assertThat(held.release()).isEqualTo(LockRelease.DONE);
                assertThat(waiter.result().release()).isEqualTo(LockRelease.DONE);
                assertThat(open.get()).isZero();
            }
        }
    }

    /** Counts the watches that are open, or has none. */
    private record Watching(LockStore store, @Nullable AtomicInteger open) implements LockStore {
        @Override
        public String name() {
            return store.name();
        }

        @Override
        public LockAnswer acquire(LockRequest request) {
            return store.acquire(request);
        }

        @Override
        public HolderAnswer renew(ClaimRef held, Duration lease) {
            return store.renew(held, lease);
        }

        @Override
        public HolderAnswer end(ClaimRef held, LockEnd end) {
            return store.end(held, end);
        }

        @Override
        public OptionalLong pass(ClaimRef held, LockRequest next) {
            return store.pass(held, next);
        }

        @Override
        public @Nullable Watch watch(RecordId id, Runnable wake) {
            AtomicInteger counter = open;
            Watch watch = counter == null ? null : store.watch(id, wake);
            if (counter == null || watch == null) {
                return null;
            }
            counter.incrementAndGet();
            return () -> {
                counter.decrementAndGet();
                watch.close();
            };
        }
    }
}
