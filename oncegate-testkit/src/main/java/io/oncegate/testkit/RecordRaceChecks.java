package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Races between two handles. */
abstract class RecordRaceChecks extends RecordValueChecks {
    private static final int RACERS = 8;
    private static final int ROUNDS = 25;
    private static final Duration WELL_PAST = Duration.ofMillis(5);

    @Test
    @DisplayName("C40: of many who claim a new key at once exactly one is granted, the others are held")
    void ofManyWhoClaimANewKeyExactlyOneIsGranted() {
        race(Asking::forNewKey, false);
    }

    @Test
    void ofManyWhoClaimAReleasedKeyExactlyOneIsGranted() {
        race(
                () -> {
                    Asking asking = Asking.forNewKey();
                    store().release(asking.grantedAt(store()));
                    return asking;
                },
                false);
    }

    @Test
    void ofManyWhoTakeOverExactlyOneIsGranted() {
        race(
                () -> {
                    Asking asking = Asking.forNewKey();
                    asking.lease(Asking.SHORT).grantedAt(store());
                    backend().passTime(WELL_PAST);
                    return asking;
                },
                true);
    }

    @Test
    void ofManyWhoClaimAnExpiredKeyExactlyOneIsGranted() {
        race(
                () -> {
                    Asking asking = Asking.forNewKey();
                    Settlement brief = Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT);
                    store().settle(asking.grantedAt(store()), brief);
                    backend().passTime(WELL_PAST);
                    return asking;
                },
                false);
    }

    private void race(Supplier<Asking> scene, boolean takeover) {
        for (int round = 0; round < ROUNDS; round++) {
            Asking asking = scene.get();
            List<ClaimAnswer> answers = storm(asking);
            List<ClaimAnswer> granted = only(ClaimAnswer.Granted.class, answers);
            assertThat(granted).hasSize(1);
            assertThat(((ClaimAnswer.Granted) granted.get(0)).takeover()).isEqualTo(takeover);
            assertThat(only(ClaimAnswer.Held.class, answers)).hasSize(RACERS - 1);
        }
    }

    @Test
    void ofManyReconcilersExactlyOneIsChosen() {
        for (int round = 0; round < ROUNDS; round++) {
            Asking asking = Asking.forNewKey();
            store().settle(asking.grantedAt(store()), Settling.unknown());
            List<ClaimAnswer> answers = storm(asking.reconciling());
            assertThat(only(ClaimAnswer.Reconcile.class, answers)).hasSize(1);
            assertThat(only(ClaimAnswer.Held.class, answers)).hasSize(RACERS - 1);
        }
    }

    @Test
    void ofRacersWithDifferentPayloadsTheLosersAreToldOfTheMismatch() {
        for (int round = 0; round < ROUNDS; round++) {
            Asking asking = Asking.forNewKey();
            List<ClaimAnswer> answers = DuplicateStorm.of(
                            RACERS,
                            Polling.longLimit(),
                            copy -> () -> asking.anew()
                                    .payload(copy % 4 < 2 ? Asking.PAYLOAD : Asking.OTHER_PAYLOAD)
                                    .at(handle(copy)))
                    .allReturned();
            assertThat(only(ClaimAnswer.Granted.class, answers)).hasSize(1);
            assertThat(only(ClaimAnswer.Held.class, answers)).hasSize(RACERS / 2 - 1);
            assertThat(only(ClaimAnswer.Mismatch.class, answers)).hasSize(RACERS / 2);
        }
    }

    @Test
    @DisplayName("C49: a late settlement that races a takeover: one of the two wins and the other is told")
    void aLateSettlementThatRacesATakeoverWinsOrIsLost() {
        for (int round = 0; round < ROUNDS; round++) {
            Asking asking = Asking.forNewKey();
            ClaimRef late = asking.lease(Asking.SHORT).grantedAt(store());
            backend().passTime(WELL_PAST);
            List<Object> answers = DuplicateStorm.<Object>of(
                            2,
                            Polling.longLimit(),
                            copy -> copy == 0
                                    ? () -> store().settle(late, Settling.succeeded("late"))
                                    : () -> asking.anew().at(twin()))
                    .allReturned();
            if (answers.get(0) == DONE) {
                assertThat(answers.get(1))
                        .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("late"), false));
            } else {
                assertThat(answers.get(0)).isEqualTo(LOST);
                assertThat(answers.get(1)).isInstanceOf(ClaimAnswer.Granted.class);
            }
        }
    }

    @Test
    void ofTwoSettlementsOfOneClaimOneIsKept() {
        for (int round = 0; round < ROUNDS; round++) {
            Asking asking = Asking.forNewKey();
            ClaimRef claim = asking.grantedAt(store());
            List<HolderAnswer> answers = DuplicateStorm.of(
                            RACERS,
                            Polling.longLimit(),
                            copy -> () -> handle(copy).settle(claim, Settling.succeeded("answer " + copy)))
                    .allReturned();
            assertThat(only(DONE, answers)).hasSize(1);
            assertThat(only(HolderAnswer.SETTLED, answers)).hasSize(RACERS - 1);
            assertThat(asking.anew().at(store()))
                    .isEqualTo(Untimed.replay(
                            RecordState.SUCCEEDED, Settling.payload("answer " + answers.indexOf(DONE)), false));
        }
    }

    @Test
    void aCounterThatOnlyTheClaimGuardsLosesNoStep() {
        int keys = 3;
        int steps = 30;
        List<Asking> askings =
                IntStream.range(0, keys).mapToObj(key -> Asking.forNewKey()).collect(Collectors.toList());
        AtomicLongArray counters = new AtomicLongArray(keys);
        List<List<Long>> fences = IntStream.range(0, keys)
                .mapToObj(key -> Collections.synchronizedList(new ArrayList<Long>()))
                .collect(Collectors.toList());
        DuplicateStorm.of(RACERS, Polling.longLimit(), copy -> () -> {
                    Random random = new Random(copy);
                    for (int step = 0; step < steps; step++) {
                        int key = random.nextInt(keys);
                        RecordStore handle = handle(copy);
                        ClaimRef claim = claimAtLast(askings.get(key).anew(), handle, random);
                        fences.get(key).add(claim.fence());
                        long before = counters.get(key);
                        pause(random, 200);
                        counters.set(key, before + 1);
                        assertThat(handle.release(claim)).isEqualTo(DONE);
                    }
                    return UUID.randomUUID();
                })
                .allReturned();
        assertThat(IntStream.range(0, keys).mapToLong(counters::get).sum()).isEqualTo((long) RACERS * steps);
        for (List<Long> rising : fences) {
            assertThat(rising).isSortedAccordingTo(Long::compare).doesNotHaveDuplicates();
        }
    }

    private static ClaimRef claimAtLast(Asking asking, RecordStore handle, Random random) {
        ClaimAnswer answer = asking.at(handle);
        while (!(answer instanceof ClaimAnswer.Granted granted)) {
            assertThat(answer).isInstanceOf(ClaimAnswer.Held.class);
            pause(random, 500);
            answer = asking.at(handle);
        }
        return asking.ref(granted.fence());
    }

    private static void pause(Random random, int mostMicros) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(mostMicros)));
    }

    private List<ClaimAnswer> storm(Asking asking) {
        return DuplicateStorm.of(
                        RACERS, Polling.longLimit(), copy -> () -> asking.anew().at(handle(copy)))
                .allReturned();
    }

    private RecordStore handle(int copy) {
        return copy % 2 == 0 ? store() : twin();
    }

    private static List<ClaimAnswer> only(Class<? extends ClaimAnswer> kind, List<ClaimAnswer> answers) {
        return answers.stream().filter(kind::isInstance).collect(Collectors.toList());
    }

    private static <T> List<T> only(@Nullable T like, List<T> answers) {
        return answers.stream().filter(answer -> answer == like).collect(Collectors.toList());
    }
}
