package io.oncegate.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.FaultyStore.Fault;
import io.oncegate.core.FaultyStore.Method;
import io.oncegate.core.Reconciler.Finding;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a reconciler is asked, what is made of what it says, and that it is never passed over. */
class ReconcilerTest {
    private static final Fingerprint TEN = Fingerprint.of("10");
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration RETENTION = Duration.ofDays(9);
    private static final ReconcilePolicy POLICY =
            ReconcilePolicy.DEFAULT.pauses(Duration.ofSeconds(100), Duration.ofSeconds(300));

    private final AtomicLong time = new AtomicLong(1_000_000_000);
    private final MemoryRecordStore memory = new MemoryRecordStore(100, 1_000_000, time::get, Duration.ofMinutes(1));
    private final FaultyStore store = new FaultyStore(memory);
    private final List<OnceEvent.Kind> events = new CopyOnWriteArrayList<>();
    private final Oncegate once = instance();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger asks = new AtomicInteger();
    private volatile Finding<String> finding = new Finding.StillUnknown<>();

    private Oncegate instance() {
        return Oncegate.claimed(store)
                .settleFor(Duration.ofMillis(50))
                .listener(event -> events.add(event.kind()))
                .build();
    }

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private Operation.Builder<String> payment() {
        return Operation.named("payment.send")
                .returning(String.class)
                .lease(LEASE)
                .retention(RETENTION)
                .failures(failure ->
                        failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED);
    }

    private Call<String> call(ReconcilePolicy policy) {
        Reconciler<String> reconciler = (key, claim) -> {
            asks.incrementAndGet();
            return finding;
        };
        return payment().reconciler(reconciler, policy).build().call(Scope.of("alice"), "k", TEN);
    }

    @AfterEach
    void close() {
        once.close();
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos() / 1000);
    }

    private Outcome<String> run(Oncegate instance, Call<String> call) {
        return instance.run(call, claim -> "run " + runs.incrementAndGet());
    }

    private Outcome<String> run(Call<String> call) {
        return run(once, call);
    }

    private Outcome<String> timeOut(Call<String> call) {
        return once.run(call, claim -> {
            throw new TimedOut();
        });
    }

    private RecordBrowser.Entry entry(Call<String> call) {
        return memory.find(call.key().id()).orElseThrow();
    }

    private static Duration retryAfter(Outcome<String> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
        return ((Outcome.Unknown<String>) outcome).retryAfter();
    }

    @Test
    void isAskedWithGrowingPausesInWhichCallersAreToldWhenToComeAgain() {
        Call<String> call = call(POLICY);
        assertThat(retryAfter(timeOut(call))).isEqualTo(Duration.ofSeconds(100));
        pass(Duration.ofSeconds(99));
        assertThat(retryAfter(run(call))).isEqualTo(Duration.ofSeconds(1));
        assertThat(asks).hasValue(0);
        int[] pauses = {100, 200, 300, 300};
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < pauses.length; i++) {
            assertThat(retryAfter(run(call))).isEqualTo(Duration.ofSeconds(pauses[i]));
            assertThat(retryAfter(run(call))).isEqualTo(Duration.ofSeconds(pauses[i]));
            assertThat(asks).hasValue(i + 1);
            pass(Duration.ofSeconds(pauses[i]));
        }
        assertThat(runs).hasValue(0);
        assertThatThrownBy(() -> run(call).orElseThrow()).hasMessageContaining("300000 ms");
    }

    @Test
    void theBackoffHoldsForAllInstancesAndOverRestarts() {
        Call<String> call = call(POLICY);
        timeOut(call);
        pass(Duration.ofSeconds(100));
        run(call);
        try (Oncegate other = instance()) {
            assertThat(retryAfter(run(other, call))).isEqualTo(Duration.ofSeconds(100));
            pass(Duration.ofSeconds(100));
            assertThat(retryAfter(run(other, call))).isEqualTo(Duration.ofSeconds(200));
        }
        assertThat(asks).hasValue(2);
    }

    @Test
    void afterTheCapItIsNotAskedAnyMoreUntilAnOperatorForgetsIt() {
        Call<String> call = call(POLICY.maxAsks(2));
        timeOut(call);
        pass(Duration.ofSeconds(100));
        run(call);
        assertThat(events).doesNotContain(OnceEvent.Kind.GIVEN_UP);
        pass(Duration.ofSeconds(100));
        assertThat(retryAfter(run(call))).isNull();
        assertThat(events).contains(OnceEvent.Kind.GIVEN_UP);
        for (int day = 0; day < 20; day++) {
            pass(Duration.ofDays(1));
            assertThat(retryAfter(run(call))).isNull();
        }
        assertThat(asks).hasValue(2);
        assertThat(entry(call).state()).isEqualTo(RecordState.UNKNOWN);
        assertThat(entry(call).asked()).isEqualTo(2);
        assertThat(memory.forget(call.key().id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(run(call)).isEqualTo(new Outcome.Executed<>("run 1"));
    }

    @Test
    void whatWasDoneIsSettledAndReplayed() {
        Call<String> call = call(POLICY);
        timeOut(call);
        pass(Duration.ofSeconds(100));
        finding = new Finding.Done<>("paid");
        assertThat(run(call)).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(run(call)).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(asks).hasValue(1);
        assertThat(events).contains(OnceEvent.Kind.RECONCILED);
    }

    @Test
    void whatWasNotDoneRuns() {
        Call<String> call = call(POLICY);
        timeOut(call);
        pass(Duration.ofSeconds(100));
        finding = new Finding.NotDone<>();
        assertThat(run(call)).isEqualTo(new Outcome.Executed<>("run 1"));
    }

    @Test
    void afterACrashItIsAskedBeforeTheBusinessRunsAgain() {
        Call<String> call = call(POLICY);
        Oncegate crashed = instance();
        crashed.begin(call);
        crashed.close();
        pass(LEASE);
        assertThat(retryAfter(run(call))).isEqualTo(Duration.ofSeconds(100));
        assertThat(asks).hasValue(1);
        assertThat(runs).hasValue(0);
        pass(Duration.ofSeconds(100));
        finding = new Finding.NotDone<>();
        assertThat(run(call)).isEqualTo(new Outcome.Executed<>("run 1"));
    }

    @Test
    void aLateHolderWhoKnowsEndsWhatIsStillUnknown() {
        Call<String> call = call(POLICY);
        Oncegate slow = instance();
        Claim<String> late = ((Begun.Started<String>) slow.begin(call)).claim();
        slow.close();
        pass(LEASE);
        run(call);
        pass(Duration.ofSeconds(100));
        assertThat(late.succeed("late")).isEqualTo(new Outcome.Executed<>("late"));
        assertThat(run(call)).isEqualTo(new Outcome.Replayed<>("late"));
        assertThat(asks).hasValue(1);
    }

    @Test
    void notDoneIsBelievedOnlyAsLongAsThePeerRemembers() {
        ReconcilePolicy policy = POLICY.peerRetention(Duration.ofHours(1));
        finding = new Finding.NotDone<>();
        Call<String> late = call(policy);
        Oncegate crashed = instance();
        crashed.begin(late);
        crashed.close();
        pass(Duration.ofMinutes(61));
        assertThat(retryAfter(run(late))).isEqualTo(Duration.ofSeconds(100));
        assertThat(runs).hasValue(0);
        assertThat(entry(late).state()).isEqualTo(RecordState.UNKNOWN);
        pass(Duration.ofSeconds(100));
        finding = new Finding.Done<>("paid");
        assertThat(run(late)).isEqualTo(new Outcome.Replayed<>("paid"));

        memory.forget(late.key().id());
        timeOut(late);
        pass(Duration.ofMinutes(59));
        finding = new Finding.NotDone<>();
        assertThat(run(late)).isEqualTo(new Outcome.Executed<>("run 1"));
    }

    @Test
    void oneThatFailsOrSaysNothingIsCountedAndLeavesItUnknown() {
        AtomicInteger asked = new AtomicInteger();
        Reconciler<String> failing = (key, claim) -> {
            if (asked.incrementAndGet() == 1) {
                throw new java.io.IOException("no answer");
            } else if (asked.get() == 2) {
                throw new StackOverflowError();
            }
            return null;
        };
        Call<String> call = payment().reconciler(failing, POLICY).build().call(Scope.of("alice"), "k", TEN);
        timeOut(call);
        for (int i = 1; i <= 3; i++) {
            pass(Duration.ofSeconds(300));
            assertThat(run(call)).isInstanceOf(Outcome.Unknown.class);
            assertThat(entry(call).asked()).isEqualTo(i);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void oneThatHangsIsInterruptedAfterALeaseAndCounted() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        Reconciler<String> hanging = (key, claim) -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return new Finding.Done<>("too late");
        };
        Call<String> call = payment()
                .lease(Duration.ofMillis(200))
                .reconciler(hanging, POLICY)
                .build()
                .call(Scope.of("alice"), "k", TEN);
        timeOut(call);
        pass(Duration.ofSeconds(100));
        assertThat(retryAfter(run(call))).isEqualTo(Duration.ofSeconds(100));
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(entry(call).asked()).isEqualTo(1);
        assertThat(run(call)).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void aStoreThatFailsWhileItIsAskedCostsAnotherTimeOfAsking() {
        Call<String> call = call(POLICY);
        timeOut(call);
        pass(Duration.ofSeconds(100));
        store.always(Method.SETTLE, Fault.FAILS);
        assertThat(run(call)).isInstanceOf(Outcome.Unknown.class);
        store.always(Method.SETTLE, Fault.NONE);
        assertThat(runs).hasValue(0);
        pass(LEASE);
        finding = new Finding.Done<>("paid");
        await(() -> run(call).equals(new Outcome.Replayed<>("paid")) || passed());
    }

    private boolean passed() {
        pass(Duration.ofSeconds(1));
        return false;
    }

    @Test
    void itIsFoundOutWithoutAnotherRequest() {
        MemoryRecordStore real = new MemoryRecordStore();
        try (Oncegate alone = Oncegate.claimed(real)
                .listener(event -> events.add(event.kind()))
                .build()) {
            Call<String> call = call(POLICY.pauses(Duration.ofMillis(5), Duration.ofMillis(20)));
            alone.run(call, claim -> {
                throw new TimedOut();
            });
            await(() -> asks.get() >= 3);
            finding = new Finding.Done<>("paid");
            await(() -> real.find(call.key().id()).orElseThrow().state() == RecordState.SUCCEEDED);
            assertThat(run(alone, call)).isEqualTo(new Outcome.Replayed<>("paid"));
        }
    }

    @Test
    void inTheBackgroundWhatWasNotDoneIsFreedAndNotRun() {
        MemoryRecordStore real = new MemoryRecordStore();
        try (Oncegate alone = Oncegate.claimed(real).build()) {
            Call<String> call = call(POLICY.pauses(Duration.ofMillis(5), Duration.ofMillis(20)));
            finding = new Finding.NotDone<>();
            alone.run(call, claim -> {
                throw new TimedOut();
            });
            await(() -> real.find(call.key().id()).orElseThrow().state() == RecordState.FREE);
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void inTheBackgroundTheCapHoldsToo() {
        MemoryRecordStore real = new MemoryRecordStore();
        try (Oncegate alone = Oncegate.claimed(real)
                .listener(event -> events.add(event.kind()))
                .build()) {
            Call<String> call = call(
                    POLICY.pauses(Duration.ofMillis(1), Duration.ofMillis(2)).maxAsks(3));
            alone.run(call, claim -> {
                throw new TimedOut();
            });
            await(() -> events.contains(OnceEvent.Kind.GIVEN_UP));
            assertThat(asks).hasValue(3);
            assertThat(retryAfter(run(alone, call))).isNull();
            assertThat(asks).hasValue(3);
        }
    }

    private Finding<String> askedAtThePeer(String downstreamKey) {
        asks.incrementAndGet();
        assertThat(downstreamKey).isNotEmpty();
        return finding;
    }

    @Test
    void isSetUpWithItsPolicy() {
        // snippet: policy
        Operation<String> pay = Operation.named("payment.send")
                .returning(String.class)
                .failures(failure ->
                        failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED)
                .reconciler(
                        (key, claim) -> askedAtThePeer(key.digest()),
                        ReconcilePolicy.DEFAULT
                                .pauses(Duration.ofSeconds(2), Duration.ofMinutes(5))
                                .maxAsks(50)
                                .peerRetention(Duration.ofHours(24)))
                .build();
        // end snippet
        Call<String> call = pay.call(Scope.of("alice"), "k", TEN);
        assertThat(retryAfter(timeOut(call))).isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(2));
        finding = new Finding.Done<>("paid");
        assertThat(run(call)).isEqualTo(new Outcome.Replayed<>("paid"));
    }

    @Test
    void nonsenseIsRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> POLICY.pauses(Duration.ZERO, second)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POLICY.pauses(second, Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POLICY.maxAsks(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POLICY.peerRetention(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> payment()
                        .reconciler((key, claim) -> finding)
                        .recordLate()
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("came true in time").isLessThan(deadline);
            java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
        }
    }
}
