package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Races between two handles, and many locks at once. */
abstract class LockRaceChecks extends LockWatchChecks {
    private static final int RACERS = 16;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** A round in which all racers do something at once with this lock, told by the racer's number. */
    private interface Racing {
        boolean wins(LockAsking asking, int racer);
    }

    private void exactlyOneWins(List<LockAsking> rounds, Racing racing) {
        AtomicIntegerArray winners = new AtomicIntegerArray(rounds.size());
        CyclicBarrier together = new CyclicBarrier(RACERS);
        DuplicateStorm.of(RACERS, LIMIT, racer -> () -> {
                    for (int round = 0; round < rounds.size(); round++) {
                        together.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                        if (racing.wins(rounds.get(round), racer)) {
                            winners.incrementAndGet(round);
                        }
                    }
                    return racer;
                })
                .allReturned();
        for (int round = 0; round < rounds.size(); round++) {
            assertThat(winners.get(round)).as("round %d", round).isEqualTo(1);
            assertThat(rounds.get(round).anew().at(twin())).isInstanceOf(LockAnswer.Held.class);
        }
    }

    private List<LockAsking> rounds() {
        return IntStream.range(0, abilities().races())
                .mapToObj(round -> LockAsking.forNewKey())
                .toList();
    }

    private boolean isGranted(LockAsking asking, int racer) {
        return asking.anew().at(handle(racer)) instanceof LockAnswer.Granted;
    }

    @Test
    @DisplayName("of 16 who ask for a new lock at once exactly one is granted it, round after round")
    void ofManyWhoAskForANewLockOneIsGranted() {
        exactlyOneWins(rounds(), this::isGranted);
    }

    @Test
    void ofManyWhoAskForAFreeLockOneIsGranted() {
        List<LockAsking> rounds = rounds();
        rounds.forEach(asking -> LockEnding.done(store(), asking.grantedAt(store()), LockEnd.released()));
        exactlyOneWins(rounds, this::isGranted);
    }

    @Test
    void ofManyWhoTakeOverExactlyOneIsGranted() {
        List<LockAsking> rounds = rounds();
        rounds.forEach(asking -> asking.lease(LockAsking.SHORT).grantedAt(store()));
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        exactlyOneWins(rounds, this::isGranted);
    }

    @Test
    void aHolderWhoPassesItsLockOnDoesSoOnceAndLetsNobodyElseIn() {
        List<LockAsking> rounds = rounds();
        List<ClaimRef> held =
                rounds.stream().map(asking -> asking.grantedAt(store())).toList();
        exactlyOneWins(rounds, (asking, racer) -> {
            if (racer % 4 == 0) {
                return isGranted(asking, racer / 4);
            }
            return handle(racer)
                    .pass(held.get(rounds.indexOf(asking)), asking.anew().request())
                    .isPresent();
        });
    }

    @Test
    void ofPassingAndEndingOneIsDone() {
        for (LockAsking asking : rounds()) {
            ClaimRef held = asking.grantedAt(store());
            List<Boolean> done = DuplicateStorm.of(
                            2,
                            LIMIT,
                            copy -> () -> copy == 0
                                    ? store().pass(held, asking.anew().request())
                                            .isPresent()
                                    : twin().end(held, LockEnd.released()) == HolderAnswer.DONE)
                    .allReturned();
            assertThat(done).containsExactlyInAnyOrder(true, false);
        }
    }

    @Test
    void aCounterThatOnlyTheLockGuardsLosesNoStep() {
        LockAsking asking = LockAsking.forNewKey();
        AtomicInteger unguarded = new AtomicInteger();
        ConcurrentLinkedQueue<Long> fences = new ConcurrentLinkedQueue<>();
        int steps = Math.max(5, abilities().races() / 2);
        DuplicateStorm.of(6, LIMIT, copy -> () -> {
                    for (int done = 0; done < steps; ) {
                        LockAsking mine = asking.anew();
                        if (mine.at(handle(copy)) instanceof LockAnswer.Granted granted) {
                            fences.add(granted.fence());
                            int before = unguarded.get();
                            Thread.yield();
                            unguarded.set(before + 1);
                            LockEnding.done(handle(copy + 1), mine.ref(granted.fence()), LockEnding.COMPLETED);
                            done++;
                        } else {
                            Thread.yield();
                        }
                    }
                    return copy;
                })
                .allReturned();
        assertThat(unguarded.get()).isEqualTo(6 * steps);
        List<Long> entered = new ArrayList<>(fences);
        assertThat(entered).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("C23: many locks are held at once, and none of them goes before it is ended")
    void manyLocksAreHeldAtOnce() {
        List<LockAsking> askings = IntStream.range(0, abilities().manyLocks())
                .mapToObj(i -> LockAsking.forNewKey())
                .toList();
        List<ClaimRef> held = new ArrayList<>();
        for (int i = 0; i < askings.size(); i++) {
            held.add(askings.get(i).grantedAt(handle(i)));
        }
        for (int i = 0; i < askings.size(); i++) {
            long fence = held.get(i).fence();
            assertThat(askings.get(i).anew().at(handle(i + 1)))
                    .isInstanceOfSatisfying(
                            LockAnswer.Held.class,
                            answer -> assertThat(answer.fence()).isEqualTo(fence));
            LockEnding.done(handle(i), held.get(i), LockEnd.released());
        }
    }

    @Test
    @DisplayName("C22: odd keys are all different locks")
    void oddKeysAreAllDifferentLocks() {
        String operation = "odd." + UUID.randomUUID();
        List<LockAsking> askings = OddKeys.values().stream()
                .map(value -> LockAsking.of(operation, value))
                .toList();
        List<ClaimRef> held = new ArrayList<>();
        askings.forEach(asking -> held.add(asking.grantedAt(store())));
        askings.forEach(asking -> assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Held.class));
        held.forEach(one -> LockEnding.done(twin(), one, LockEnd.released()));
    }
}
