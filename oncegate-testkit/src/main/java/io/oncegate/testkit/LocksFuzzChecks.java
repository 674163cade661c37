package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.HeldLocks;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many threads with counters that only the locks guard. */
abstract class LocksFuzzChecks extends LocksResultChecks {
    private static final int THREADS = 8;

    /** A counter that loses steps when two are in at once, and remembers by which fences it was entered. */
    private static final class Guarded {
        private final OperationKey key = newKey();
        private final List<Long> fences = new ArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger count = new AtomicInteger();

        void enter(HeldLock held) {
            assertThat(inside.incrementAndGet()).as("how many are in").isEqualTo(1);
            int before = count.get();
            if (before % 4 == 0) {
                Thread.yield();
            }
            fences.add(held.fence());
            count.set(before + 1);
            inside.decrementAndGet();
        }
    }

    private static void end(HeldLock held, int how) {
        if (how == 2) {
            held.close();
        } else {
            assertThat(how == 0 ? held.release() : held.complete(null)).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    @DisplayName("a counter that only the locks guard loses no step, and fences rise in the order of entry")
    void countersThatOnlyTheLocksGuardLoseNoStep() {
        long seed = Long.getLong(
                "oncegate.testkit.seed", ThreadLocalRandom.current().nextLong(1L << 40));
        List<Guarded> counters = List.of(new Guarded(), new Guarded(), new Guarded());
        int rounds = abilities().rounds();
        List<int[]> entered = DuplicateStorm.of(THREADS, Polling.longLimit(), copy ->
                        (Callable<int[]>) () -> steps(copy, rounds, new Random(seed + copy), counters))
                .allReturned();
        for (int i = 0; i < counters.size(); i++) {
            int which = i;
            Guarded counter = counters.get(i);
            int expected = entered.stream()
                    .mapToInt(each -> each == null ? 0 : each[which])
                    .sum();
            assertThat(counter.count.get()).as("counter %d, seed %d", i, seed).isEqualTo(expected);
            assertThat(counter.fences)
                    .as("fences of %d, seed %d", i, seed)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
        areGone(counters.stream().map(counter -> counter.key).toList());
    }

    /** How often this one has entered each counter. */
    private int[] steps(int copy, int rounds, Random random, List<Guarded> counters) throws InterruptedException {
        int[] entered = new int[counters.size()];
        for (int round = 0; round < rounds; round++) {
            int which = random.nextInt(counters.size());
            Guarded counter = counters.get(which);
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (handle(copy).tryAcquire(counter.key, UNTIL_DONE)
                            instanceof Acquisition.Acquired<HeldLock> acquired) {
                        counter.enter(acquired.lock());
                        end(acquired.lock(), random.nextInt(3));
                        entered[which]++;
                    }
                }
                case 1 -> {
                    Duration brief = Duration.ofMillis(random.nextInt(5));
                    if (handle(copy).acquire(counter.key, UNTIL_DONE, brief)
                            instanceof Acquisition.Acquired<HeldLock> acquired) {
                        counter.enter(acquired.lock());
                        end(acquired.lock(), random.nextInt(3));
                        entered[which]++;
                    }
                }
                case 2 -> {
                    int other = (which + 1) % counters.size();
                    Guarded second = counters.get(other);
                    try (HeldLocks both = handle(copy)
                            .acquireAll(List.of(counter.key, second.key), UNTIL_DONE, Polling.longLimit())
                            .orElseThrow()) {
                        counter.enter(both.of(counter.key));
                        second.enter(both.of(second.key));
                    }
                    entered[which]++;
                    entered[other]++;
                }
                default -> {
                    HeldLock held = acquired(handle(copy).acquire(counter.key, UNTIL_DONE, Polling.longLimit()));
                    counter.enter(held);
                    end(held, random.nextInt(3));
                    entered[which]++;
                }
            }
        }
        return entered;
    }

    @Test
    @DisplayName("C12b: very many threads, virtual ones where there are any, contend without false losses")
    void veryManyThreadsContend() {
        List<Guarded> counters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            counters.add(new Guarded());
        }
        int threads = 2 * abilities().rounds();
        List<Background<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Guarded counter = counters.get(i % counters.size());
            all.add(Background.lightly(() -> {
                HeldLock held = acquired(handle(number).acquire(counter.key, UNTIL_DONE, Polling.longLimit()));
                counter.enter(held);
                return held.release() == LockRelease.DONE;
            }));
        }
        all.forEach(one -> assertThat(one.result(Polling.longLimit())).isTrue());
        int sum = counters.stream().mapToInt(counter -> counter.count.get()).sum();
        assertThat(sum).isEqualTo(threads);
    }
}
