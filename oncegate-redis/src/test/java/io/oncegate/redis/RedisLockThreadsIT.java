package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.HeldLocks;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testkit.StormReport;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServers;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many threads, and many keys at once. */
class RedisLockThreadsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions UNTIL_DONE = LockOptions.untilDone();

    @AutoClose
    private final Handles handles = new Handles();

    private LeasedLocks locks;
    private LeasedLocks twin;

    @BeforeEach
    void connect() {
        locks = handles.locks(RedisServers.standalone().uri());
        twin = handles.locks(RedisServers.standalone().uri());
    }

    @Test
    @DisplayName(
            "C12b: thousands of (virtual) threads contend for 10 keys without a false loss and without a monitor held")
    void thousandsOfThreadsContend() throws Exception {
        List<Lock> keys = IntStream.range(0, 10).mapToObj(i -> Lock.fresh()).toList();
        List<HeldLock> begin = new ArrayList<>();
        for (Lock key : keys) {
            begin.add(Lock.held(locks.tryAcquire(key.key(), UNTIL_DONE)));
        }
        int[] counters = new int[10];
        ConcurrentLinkedQueue<Object> problems = new ConcurrentLinkedQueue<>();
        Optional<Object> virtual = virtualThreads();
        int threads = virtual.isPresent() ? 5_000 : 500;
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i % 10;
            Thread thread = thread(virtual, () -> {
                try {
                    HeldLock held = Lock.held(locks.acquire(keys.get(number).key(), UNTIL_DONE, PATIENCE));
                    counters[number]++;
                    LockRelease release = held.release();
                    if (release != LockRelease.DONE) {
                        problems.add(release);
                    }
                } catch (InterruptedException | RuntimeException | AssertionError e) {
                    problems.add(e);
                }
            });
            thread.start();
            all.add(thread);
        }
        Await.until(
                "all wait",
                PATIENCE,
                () -> all.stream().allMatch(each -> each.getState() == Thread.State.TIMED_WAITING));
        for (ThreadInfo info : ManagementFactory.getThreadMXBean().dumpAllThreads(true, false)) {
            assertThat(
                            all.stream().anyMatch(each -> each.getName().equals(info.getThreadName()))
                                    ? List.of(info.getLockedMonitors())
                                    : List.of())
                    .as(info.getThreadName())
                    .isEmpty();
        }
        begin.forEach(HeldLock::release);
        for (Thread thread : all) {
            thread.join();
        }
        assertThat(problems).isEmpty();
        assertThat(Arrays.stream(counters)).containsOnly(threads / 10);
    }

    private static Optional<Object> virtualThreads() {
        try {
            return Optional.of(Thread.class.getMethod("ofVirtual").invoke(null));
        } catch (ReflectiveOperationException e) {
            return Optional.empty();
        }
    }

    private static Thread thread(Optional<Object> virtual, Runnable work) throws ReflectiveOperationException {
        return virtual.isEmpty()
                ? new Thread(work, "contender-" + System.nanoTime())
                : (Thread) Class.forName("java.lang.Thread$Builder")
                        .getMethod("unstarted", Runnable.class)
                        .invoke(virtual.orElseThrow(), work);
    }

    @Test
    @DisplayName("C24: two that want the same keys in opposite orders never wait for each other")
    void oppositeOrdersNeverWaitForEachOther() {
        Lock a = Lock.fresh();
        Lock b = Lock.fresh();
        int rounds = 300;
        int[] counter = new int[1];
        StormReport<Integer> report = DuplicateStorm.of(2, PATIENCE, copy -> () -> {
            LeasedLocks mine = copy == 0 ? locks : twin;
            List<Lock> order = copy == 0 ? List.of(a, b) : List.of(b, a);
            for (int round = 0; round < rounds; round++) {
                HeldLocks held = mine.acquireAll(order.stream().map(Lock::key).toList(), UNTIL_DONE, PATIENCE)
                        .orElseThrow();
                counter[0]++;
                assertThat(held.release()).isEqualTo(LockRelease.DONE);
            }
            return rounds;
        });
        assertThat(report.allReturned()).containsOnly(rounds);
        assertThat(counter[0]).isEqualTo(2 * rounds);
    }

    @Test
    @DisplayName("C24: a key that is given twice counts once")
    void aKeyThatIsGivenTwiceCountsOnce() throws Exception {
        Lock a = Lock.fresh();
        HeldLocks held = locks.acquireAll(List.of(a.key(), a.key()), UNTIL_DONE, Duration.ZERO)
                .orElseThrow();
        assertThat(held.locks()).hasSize(1);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(Lock.held(twin.tryAcquire(a.key(), UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C24: all or none, and the same owner may ask again")
    void allOrNone() throws Exception {
        List<Lock> keys = List.of(Lock.fresh(), Lock.fresh(), Lock.fresh());
        for (Lock unavailable : keys) {
            HeldLock other = Lock.held(twin.tryAcquire(unavailable.key(), UNTIL_DONE));
            var refused = locks.acquireAll(keys.stream().map(Lock::key).toList(), UNTIL_DONE, Duration.ofMillis(50));
            assertThat(refused)
                    .isInstanceOfSatisfying(
                            Acquisition.Refused.class,
                            refusal -> assertThat(refusal.key()).isEqualTo(unavailable.key()));
            for (Lock each : keys) {
                if (each != unavailable) {
                    assertThat(Lock.held(twin.tryAcquire(each.key(), UNTIL_DONE))
                                    .release())
                            .isEqualTo(LockRelease.DONE);
                }
            }
            assertThat(other.release()).isEqualTo(LockRelease.DONE);
            assertThat(locks.acquireAll(keys.stream().map(Lock::key).toList(), UNTIL_DONE, Duration.ZERO)
                            .orElseThrow()
                            .release())
                    .isEqualTo(LockRelease.DONE);
        }
    }
}
