package io.oncegate.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.FaultyStore.Fault;
import io.oncegate.core.FaultyStore.Method;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.ResultCodecException;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ForgetAnswer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimedOncegateTest {
    private static final Scope ALICE = Scope.of("alice");
    private static final Fingerprint TEN = Fingerprint.of("10");

    private static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    private final AtomicLong time = new AtomicLong(1_000_000_000);
    private final MemoryRecordStore memory = new MemoryRecordStore(100, 1_000_000, time::get, Duration.ofMinutes(1));
    private final FaultyStore store = new FaultyStore(memory);
    private final List<OnceEvent.Kind> events = new CopyOnWriteArrayList<>();
    private final Oncegate once = Oncegate.claimed(store)
            .settleFor(Duration.ofSeconds(20))
            .listener(event -> events.add(event.kind()))
            .build();
    private final AtomicInteger runs = new AtomicInteger();
    private final Operation<String> operation = text().build();

    private static Operation.Builder<String> text() {
        return Operation.named("order.create")
                .returning(String.class)
                .lease(Duration.ofSeconds(5))
                .retention(Duration.ofMinutes(10));
    }

    @AfterEach
    void close() {
        once.close();
    }

    private Call<String> call() {
        return operation.call(ALICE, "k", TEN);
    }

    private Outcome<String> run(Call<String> call) {
        return once.run(call, claim -> "run " + runs.incrementAndGet());
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos() / 1000);
    }

    @Test
    @DisplayName("G4: the first call runs, every other gets its answer")
    void repetitionsGetTheFirstAnswer() {
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("run 1"));
        assertThat(run(call()).orElseThrow()).isEqualTo("run 1");
        assertThat(store.calls(Method.CLAIM)).isEqualTo(3);
        assertThat(store.calls(Method.SETTLE)).isEqualTo(1);
        assertThat(events).containsExactly(OnceEvent.Kind.EXECUTED, OnceEvent.Kind.REPLAYED, OnceEvent.Kind.REPLAYED);
    }

    @Test
    @DisplayName("C48: null, void, 0, false and empty results are results")
    void falsyResultsAreResults() {
        for (Object value : new Object[] {null, "", 0, 0L, false}) {
            @SuppressWarnings("unchecked")
            Class<Object> type = (Class<Object>) (value == null ? String.class : value.getClass());
            Operation<Object> falsy = Operation.named("falsy." + type.getSimpleName() + (value == null))
                    .returning(type)
                    .build();
            Call<Object> call = falsy.call(ALICE, "k", TEN);
            AtomicInteger count = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                assertThat(once.run(call, claim -> {
                                    count.incrementAndGet();
                                    return value;
                                })
                                .orElseThrow())
                        .isEqualTo(value);
            }
            assertThat(count).hasValue(1);
        }
        Operation<Void> nothing = Operation.named("nothing").build();
        for (int i = 0; i < 2; i++) {
            once.run(nothing.call(ALICE, "k", TEN), claim -> {
                runs.incrementAndGet();
                return null;
            });
        }
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName(
            "C46, G5: another payload is refused while running, after, and on takeover, and the record is untouched")
    void refusesAnotherPayloadAlways() {
        Call<String> other = operation.call(ALICE, "k", Fingerprint.of("99"));
        Begun<String> begun = once.begin(call());
        assertThat(run(other)).isEqualTo(new Outcome.Mismatch<>(other.key(), List.of("payload")));
        pass(Duration.ofSeconds(6));
        assertThat(run(other)).isInstanceOf(Outcome.Mismatch.class);
        claim(begun).succeed("first");
        assertThatThrownBy(() -> run(other).orElseThrow())
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("payload");
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(runs).hasValue(0);
    }

    private static Claim<String> claim(Begun<String> begun) {
        return ((Begun.Started<String>) begun).claim();
    }

    @Test
    @DisplayName("C89: a record of another fingerprint version is understood on replay, while held, and on takeover")
    void understandsOtherFingerprintVersions() {
        Fingerprint v1 = Fingerprint.builder().version(1).text("amount", "10").build();
        Fingerprint v2 = Fingerprint.builder()
                .version(2)
                .text("amount", "10")
                .text("currency", "EUR")
                .build()
                .alsoKnownAs(v1);
        Begun<String> old = once.begin(operation.call(ALICE, "k", v1));
        assertThat(run(operation.call(ALICE, "k", v2))).isInstanceOf(Outcome.Held.class);
        pass(Duration.ofSeconds(6));
        assertThat(run(operation.call(ALICE, "k", v2))).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(run(operation.call(ALICE, "k", v1))).isEqualTo(new Outcome.Replayed<>("run 1"));
        assertThat(claim(old).succeed("late")).isEqualTo(new Outcome.Replayed<>("run 1"));
        Fingerprint dearer =
                Fingerprint.builder().version(1).text("amount", "99").build();
        assertThat(run(operation.call(ALICE, "k", dearer))).isInstanceOf(Outcome.Mismatch.class);
    }

    @Test
    void anExceptionFreesTheKeyAndIsThrownAsItIs() {
        IOException failure = new IOException("disk");
        assertThatThrownBy(() -> once.run(call(), claim -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(events).contains(OnceEvent.Kind.FAILED);
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 1"));
    }

    @Test
    void aDeclaredRefusalIsKeptAndThrownAgainTyped() {
        Operation<String> refusing =
                text().refusal("sold-out", SoldOut.class, SoldOut::new).build();
        Call<String> call = refusing.call(ALICE, "k", TEN);
        SoldOut first = new SoldOut("no seats");
        Outcome<String> outcome = once.run(call, claim -> {
            throw first;
        });
        assertThat(outcome).isEqualTo(new Outcome.Refused<>(first, false));
        Outcome<String> again = run(call);
        assertThat(again.replayed()).isTrue();
        assertThatThrownBy(again::orElseThrow)
                .isInstanceOf(SoldOut.class)
                .hasMessage("no seats")
                .isNotSameAs(first);
        assertThat(runs).hasValue(0);
        Operation<String> renamed =
                text().refusal("other", SoldOut.class, SoldOut::new).build();
        assertThat(run(renamed.call(ALICE, "k", TEN)))
                .isInstanceOfSatisfying(
                        Outcome.NoResult.class,
                        none -> assertThat(none.refused()).isTrue());
    }

    @Test
    @DisplayName("G8: what cannot be stored settles as done, no result, and never runs again")
    void whatCannotBeStoredIsDoneWithoutResult() {
        Operation<String> small = text().maxResultBytes(3).build();
        assertThat(once.run(small.call(ALICE, "big", TEN), claim -> "1234")).isEqualTo(new Outcome.Executed<>("1234"));
        assertThatThrownBy(() -> run(small.call(ALICE, "big", TEN)).orElseThrow())
                .isInstanceOf(ResultUnavailableException.class);
        assertThat(once.run(small.call(ALICE, "fits", TEN), claim -> "123")).isEqualTo(new Outcome.Executed<>("123"));
        assertThat(run(small.call(ALICE, "fits", TEN))).isEqualTo(new Outcome.Replayed<>("123"));
        assertThat(once.run(operation.call(ALICE, "bad", TEN), claim -> "\ud800"))
                .isEqualTo(new Outcome.Executed<>("\ud800"));
        assertThat(run(operation.call(ALICE, "bad", TEN))).isInstanceOf(Outcome.NoResult.class);
        assertThat(runs).hasValue(0);
        assertThat(events).contains(OnceEvent.Kind.RESULT_NOT_STORABLE);
    }

    @Test
    @DisplayName("C95: what can no longer be read is done, no result, and never runs again")
    void whatCanNoLongerBeReadIsDoneWithoutResult() {
        once.run(call(), claim -> "not a number");
        Operation<Integer> retyped =
                Operation.named("order.create").returning(Integer.class).build();
        assertThat(once.run(retyped.call(ALICE, "k", TEN), claim -> 1)).isInstanceOf(Outcome.NoResult.class);
        Operation<String> recoded = text().codec(new OtherCodec()).build();
        assertThat(run(recoded.call(ALICE, "k", TEN))).isInstanceOf(Outcome.NoResult.class);
        assertThat(runs).hasValue(0);
    }

    private static final class OtherCodec implements ResultCodec {
        @Override
        public String id() {
            return "other1";
        }

        @Override
        public boolean supports(Type type) {
            return true;
        }

        @Override
        public byte[] encode(Object value, Type type) {
            throw new ResultCodecException("never", null);
        }

        @Override
        public Object decode(byte[] bytes, Type type) {
            return "read by the wrong codec";
        }
    }

    @Test
    void refusesBeforeRunningWhatNoCodecCanStore() {
        Operation<List<String>> list = Operation.named("list")
                .returning(new TypeRef<List<String>>() {})
                .build();
        assertThatThrownBy(() -> once.run(list.call(ALICE, "k", TEN), claim -> {
                    runs.incrementAndGet();
                    return List.of();
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("oncegate-jackson");
        assertThat(runs).hasValue(0);
        assertThat(memory.size()).isZero();
    }

    @Test
    void resultRetentionLeavesATombstoneAndRetentionFreesTheKey() {
        Operation<String> shortly =
                text().resultRetention(Duration.ofMinutes(1)).build();
        Call<String> call = shortly.call(ALICE, "k", TEN);
        run(call);
        pass(Duration.ofSeconds(59));
        assertThat(run(call)).isEqualTo(new Outcome.Replayed<>("run 1"));
        pass(Duration.ofSeconds(1));
        assertThat(run(call)).isInstanceOf(Outcome.NoResult.class);
        pass(Duration.ofMinutes(9));
        assertThat(run(call)).isEqualTo(new Outcome.Executed<>("run 2"));
    }

    @Test
    void birthTimeRefusesOldKeysWhereNoRecordAnswers() {
        time.set(0x017F22E279B0L * 1000);
        Operation<String> timed =
                text().birthTime(Duration.ofMinutes(8), Duration.ofMinutes(1)).build();
        Call<String> call = timed.call(ALICE, "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", TEN);
        run(call);
        pass(Duration.ofMinutes(9));
        assertThat(run(call)).as("its record answers").isEqualTo(new Outcome.Replayed<>("run 1"));
        pass(Duration.ofMinutes(2));
        assertThat(run(call))
                .isInstanceOfSatisfying(
                        Outcome.Expired.class, e -> assertThat(e.fromFuture()).isFalse());
        time.addAndGet(-Duration.ofMinutes(20).toNanos() / 1000);
        Call<String> early = timed.call(Scope.of("bob"), "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", TEN);
        assertThat(run(early))
                .isInstanceOfSatisfying(
                        Outcome.Expired.class, e -> assertThat(e.fromFuture()).isTrue());
        assertThat(runs).hasValue(1);
        assertThat(run(timed.call(ALICE, "no-birth-time", TEN))).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void aCallsOwnBirthLimitNarrowsTheOperations() {
        Instant born = Instant.ofEpochMilli(0x017F22E279B0L);
        String uuid = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
        time.set(born.toEpochMilli() * 1000);
        Operation<String> timed =
                text().birthTime(Duration.ofMinutes(8), Duration.ofMinutes(1)).build();
        Operation<String> untimed = text().build();
        pass(Duration.ofMinutes(3));
        assertThat(run(timed.call(ALICE, uuid, TEN).bornWithin(born, Duration.ofMinutes(3), Duration.ZERO)))
                .isInstanceOf(Outcome.Expired.class);
        assertThat(run(untimed.call(ALICE, "no uuid", TEN).bornWithin(born, Duration.ofMinutes(3), Duration.ZERO)))
                .isInstanceOf(Outcome.Expired.class);
        assertThat(run(untimed.call(ALICE, "early", TEN)
                        .bornWithin(born.plusSeconds(181), Duration.ofMinutes(3), Duration.ofMillis(999))))
                .isInstanceOfSatisfying(
                        Outcome.Expired.class, e -> assertThat(e.fromFuture()).isTrue());
        pass(Duration.ofMinutes(5));
        assertThat(run(timed.call(ALICE, uuid, TEN).bornWithin(born, Duration.ofMinutes(9), Duration.ZERO)))
                .as("not widened")
                .isInstanceOf(Outcome.Expired.class);
        assertThat(runs).hasValue(0);
        Call<String> good = untimed.call(ALICE, "good", TEN).bornWithin(born, Duration.ofMinutes(9), Duration.ZERO);
        assertThat(run(good)).isInstanceOf(Outcome.Executed.class);
        pass(Duration.ofMinutes(1));
        assertThat(run(good)).as("its record answers").isInstanceOf(Outcome.Replayed.class);
        assertThatThrownBy(() -> good.bornWithin(born, Duration.ofMinutes(10), Duration.ofMillis(1)))
                .hasMessageContaining("longer than the retention");
        for (Duration senseless : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> good.bornWithin(born, senseless, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("C41, G7: a crashed claim is held until its lease ends and taken over then, long before the retention")
    void aCrashedClaimIsTakenOverAtItsLeasesEnd() {
        claim(once.begin(call()));
        pass(Duration.ofMillis(4_999));
        assertThat(run(call()))
                .isInstanceOfSatisfying(
                        Outcome.Held.class,
                        held -> assertThat(held.retryAfter()).isEqualTo(Duration.ofMillis(1)));
        assertThatThrownBy(() -> run(call()).orElseThrow()).isInstanceOf(InProgressException.class);
        pass(Duration.ofMillis(1));
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(events).contains(OnceEvent.Kind.TAKEN_OVER);
    }

    @Test
    @DisplayName("C49, G2: a late owner changes nothing and is told the newer outcome")
    void aLateOwnerIsToldTheNewerOutcome() {
        Claim<String> late = claim(once.begin(call()));
        Claim<String> later = claim(once.begin(operation.call(ALICE, "j", TEN)));
        pass(Duration.ofSeconds(6));
        run(call());
        assertThat(late.succeed("late")).isEqualTo(new Outcome.Replayed<>("run 1"));
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("run 1"));
        assertThat(events).contains(OnceEvent.Kind.LOST);
        Begun<String> newer = once.begin(operation.call(ALICE, "j", TEN));
        assertThat(later.succeed("late")).isInstanceOf(Outcome.Held.class);
        claim(newer).release();
        assertThat(run(operation.call(ALICE, "j", TEN))).isEqualTo(new Outcome.Executed<>("run 2"));
    }

    @Test
    void aLateOwnerWhoseKeyIsFreeAgainSettlesWithoutRunning() {
        Claim<String> late = claim(once.begin(call()));
        pass(Duration.ofSeconds(6));
        claim(once.begin(call())).release();
        assertThat(late.succeed("late")).isEqualTo(new Outcome.Executed<>("late"));
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("late"));
        assertThat(runs).hasValue(0);
    }

    @Test
    void aLateOwnerWhoseKeyWentToAnotherRequestIsNotAnsweredWithIt() {
        Claim<String> late = claim(once.begin(call()));
        pass(Duration.ofMinutes(11));
        assertThat(run(operation.call(ALICE, "k", Fingerprint.of("99")))).isInstanceOf(Outcome.Executed.class);
        assertThatThrownBy(() -> late.succeed("late")).isInstanceOf(OutcomeNotRecordedException.class);
    }

    @Test
    void aClaimWhoseReplyWasLostFindsItself() {
        store.next(Method.CLAIM, Fault.REPLY_LOST);
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(store.calls(Method.CLAIM)).isEqualTo(2);
    }

    @Test
    @DisplayName("C88, G8: a settle whose reply was lost is sent again and the business does not run again")
    void aSettleIsSentAgain() {
        store.next(Method.SETTLE, Fault.REPLY_LOST, Fault.FAILS);
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(store.calls(Method.SETTLE)).isGreaterThanOrEqualTo(2);
        assertThat(store.calls(Method.RELEASE)).isZero();
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("run 1"));
    }

    @Test
    @DisplayName(
            "C88, G4, G8: with the store gone after the business the caller gets no answer, and the key is not released")
    void anOutcomeThatCannotBeRecordedIsNotAnswered() throws Exception {
        store.always(Method.SETTLE, Fault.FAILS);
        store.always(Method.RENEW, Fault.FAILS);
        Oncegate impatient = Oncegate.claimed(store).settleFor(Duration.ZERO).build();
        assertThatThrownBy(() -> impatient.run(call(), claim -> "run " + runs.incrementAndGet()))
                .isInstanceOf(OutcomeNotRecordedException.class);
        assertThat(store.calls(Method.RELEASE)).isZero();
        assertThat(run(call())).isInstanceOf(Outcome.Held.class);
        store.always(Method.SETTLE, Fault.NONE);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!run(call()).equals(new Outcome.Replayed<>("run 1"))) {
            assertThat(System.nanoTime()).as("the outcome is recorded late").isLessThan(deadline);
            Thread.sleep(20);
        }
        assertThat(runs).hasValue(1);
        impatient.close();
    }

    @Test
    @DisplayName("C88, G9: with the store down a call is refused, and let through only by choice, counted")
    void aStoreThatIsDownRefusesUnlessTheOperationChose() {
        store.always(Method.CLAIM, Fault.FAILS);
        assertThatThrownBy(() -> run(call())).isInstanceOf(StoreUnavailableException.class);
        assertThat(runs).hasValue(0);
        assertThat(events).containsExactly(OnceEvent.Kind.STORE_DOWN);
        Operation<String> open =
                text().whenStoreDown(WhenStoreDown.RUN_UNPROTECTED).build();
        assertThat(run(open.call(ALICE, "k", TEN))).isEqualTo(new Outcome.Unprotected<>("run 1"));
        assertThat(events).contains(OnceEvent.Kind.UNPROTECTED);
        assertThatThrownBy(() -> once.run(open.call(ALICE, "k", TEN), claim -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aFailedReleaseLeavesTheKeyToItsLease() {
        store.always(Method.RELEASE, Fault.FAILS);
        assertThatThrownBy(() -> once.run(call(), claim -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class);
        assertThat(run(call())).isInstanceOf(Outcome.Held.class);
        pass(Duration.ofSeconds(5));
        assertThat(run(call())).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void anInterruptedBusinessIsRecordedAllTheSameAndStaysInterrupted() {
        Outcome<String> outcome = once.run(call(), claim -> {
            Thread.currentThread().interrupt();
            return "done";
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome).isEqualTo(new Outcome.Executed<>("done"));
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("done"));
    }

    @Test
    void aClaimIsEndedOnce() {
        Claim<String> claim = claim(once.begin(call()));
        claim.succeed("a");
        assertThatThrownBy(() -> claim.succeed("b")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(claim::release).isInstanceOf(IllegalStateException.class);
        assertThat(run(call())).isEqualTo(new Outcome.Replayed<>("a"));
    }

    @Test
    @DisplayName("C40: 64 copies at once run once, and the waiting ones get the same answer")
    void copiesAtOnceRunOnce() throws Exception {
        Oncegate real = Oncegate.claimed(new MemoryRecordStore()).build();
        Operation<String> waiting = text().waitUpTo(Duration.ofSeconds(30)).build();
        ExecutorService threads = Executors.newFixedThreadPool(64);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Outcome<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            answers.add(threads.submit(() -> {
                go.await();
                return real.run(waiting.call(ALICE, "k", TEN), claim -> {
                    Thread.sleep(100);
                    return "run " + runs.incrementAndGet();
                });
            }));
        }
        go.countDown();
        int executed = 0;
        for (Future<Outcome<String>> answer : answers) {
            executed += answer.get() instanceof Outcome.Executed ? 1 : 0;
            assertThat(answer.get().orElseThrow()).isEqualTo("run 1");
        }
        assertThat(executed).isEqualTo(1);
        threads.shutdown();
        real.close();
    }

    @Test
    @DisplayName("C76: two callers with one key do not meet")
    void callersDoNotMeet() {
        assertThat(run(operation.call(Scope.of("a"), "k", TEN))).isEqualTo(new Outcome.Executed<>("run 1"));
        assertThat(run(operation.call(Scope.of("b"), "k", TEN))).isEqualTo(new Outcome.Executed<>("run 2"));
        Operation<String> other =
                Operation.named("refund").returning(String.class).build();
        assertThat(run(other.call(Scope.of("a"), "k", TEN))).isEqualTo(new Outcome.Executed<>("run 3"));
    }

    @Test
    void nestedCallsOfOtherKeysWorkAndOfTheSameKeyAreHeld() {
        Outcome<String> outer = once.run(call(), claim -> {
            assertThat(run(operation.call(ALICE, "inner", TEN))).isEqualTo(new Outcome.Executed<>("run 1"));
            assertThat(run(call())).isInstanceOf(Outcome.Held.class);
            return "outer";
        });
        assertThat(outer).isEqualTo(new Outcome.Executed<>("outer"));
    }

    @Test
    @DisplayName("C12: an asynchronous business is settled at its end, and its twin is held until then")
    void anAsynchronousBusinessIsSettledAtItsEnd() throws Exception {
        CompletableFuture<String> business = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Outcome<String>> first = once.runAsync(call(), claim -> {
                    started.countDown();
                    return business;
                })
                .toCompletableFuture();
        started.await();
        assertThat(run(call())).isInstanceOf(Outcome.Held.class);
        CompletableFuture<Outcome<String>> waiting = once.runAsync(
                        text().waitUpTo(Duration.ofSeconds(30)).build().call(ALICE, "k", TEN),
                        claim -> CompletableFuture.completedFuture("twin"))
                .toCompletableFuture();
        business.complete("done");
        assertThat(first.get()).isEqualTo(new Outcome.Executed<>("done"));
        assertThat(waiting.get()).isEqualTo(new Outcome.Replayed<>("done"));
    }

    @Test
    void anAsynchronousFailureFreesTheKey() throws Exception {
        IOException failure = new IOException("disk");
        assertThat(once.runAsync(call(), claim -> CompletableFuture.failedFuture(failure))
                        .toCompletableFuture()
                        .get())
                .isEqualTo(new Outcome.Failed<>(failure));
        assertThat(once.runAsync(call(), claim -> {
                            throw failure;
                        })
                        .toCompletableFuture()
                        .get())
                .isEqualTo(new Outcome.Failed<>(failure));
        assertThat(run(call())).isInstanceOf(Outcome.Executed.class);
        store.always(Method.CLAIM, Fault.FAILS);
        assertThatThrownBy(() -> once.runAsync(call(), claim -> CompletableFuture.completedFuture("x"))
                        .toCompletableFuture()
                        .get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aLeaseIsRenewedAsLongAsTheBusinessRuns() throws Exception {
        Operation<String> brief = text().lease(Duration.ofMillis(300)).build();
        Call<String> call = brief.call(ALICE, "k", TEN);
        Outcome<String> outcome = once.run(call, claim -> {
            for (int leases = 0; leases < 5; leases++) {
                int renewals = store.calls(Method.RENEW);
                // Two more calls: the first of them has come to its end, with the store's time of now.
                await(() -> store.calls(Method.RENEW) > renewals + 1);
                pass(Duration.ofMillis(299));
                assertThat(run(call)).isInstanceOf(Outcome.Held.class);
            }
            return "long";
        });
        assertThat(outcome).isEqualTo(new Outcome.Executed<>("long"));
    }

    @Test
    void renewalStopsWithTheClaimAndTellsOfItsLoss() throws Exception {
        Operation<String> brief = text().lease(Duration.ofMillis(300)).build();
        Claim<String> claim = claim(once.begin(brief.call(ALICE, "k", TEN)));
        await(() -> store.calls(Method.RENEW) > 2);
        await(() -> claim.live() && !claim.remaining().isZero());
        pass(Duration.ofMinutes(20));
        await(() -> !claim.live());
        assertThat(claim.remaining()).isZero();
        await(() -> events.contains(OnceEvent.Kind.LOST));
        claim.release();
        Claim<String> second = claim(once.begin(brief.call(ALICE, "j", TEN)));
        second.succeed("x");
        int calls = store.calls(Method.RENEW);
        Thread.sleep(1000); // three times as long as until the next renewal
        assertThat(store.calls(Method.RENEW)).isLessThanOrEqualTo(calls + 1);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("came true in time").isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    @Test
    void anUnknownOutcomeIsNeitherRunAgainNorReplayedUntilItIsReconciled() {
        Operation.Builder<String> builder = text().failures(failure ->
                failure instanceof IOException ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED);
        Call<String> call = builder.build().call(ALICE, "k", TEN);
        IOException timeout = new IOException("timed out");
        Outcome<String> first = outcomeOf(call, timeout);
        assertThat(first).isEqualTo(new Outcome.Unknown<>(call.key(), timeout, null));
        assertThat(run(call)).isEqualTo(new Outcome.Unknown<>(call.key(), null, null));
        assertThat(runs).hasValue(0);
    }

    @Test
    void oneReconcilerAsksAtATime() {
        Operation.Builder<String> builder = text().failures(failure -> FailureKind.NOBODY_KNOWS);
        Operation<String> plain = builder.build();
        Operation<String> reconciling = builder.reconciler((key, claim) -> {
                    assertThat(run(new Call<>(plain, key, TEN))).isInstanceOf(Outcome.Held.class);
                    return new Reconciler.Finding.Done<>("paid");
                })
                .build();
        outcomeOf(plain.call(ALICE, "k", TEN), new IOException("timed out"));
        assertThat(run(reconciling.call(ALICE, "k", TEN))).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(run(plain.call(ALICE, "k", TEN))).isEqualTo(new Outcome.Replayed<>("paid"));
        assertThat(runs).hasValue(0);
    }

    private Outcome<String> outcomeOf(Call<String> call, IOException failure) {
        try {
            return once.run(call, claim -> {
                throw failure;
            });
        } catch (IOException e) {
            throw new AssertionError("kept as unknown, not thrown", e);
        }
    }

    @Test
    @DisplayName("C20: durations of nought, below nought, below a millisecond or absurd are refused when configuring")
    void refusesAbsurdDurations() {
        for (Duration duration : new Duration[] {
            null, Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(999_999), Duration.ofMillis(Long.MAX_VALUE)
        }) {
            assertThatThrownBy(() -> text().lease(duration)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> text().retention(duration)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> text().resultRetention(duration)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> text().waitUpTo(duration)).isInstanceOf(IllegalArgumentException.class);
        }
        text().lease(Duration.ofMillis(1)).retention(Duration.ofMillis(1)).build();
        assertThatThrownBy(() -> text().resultRetention(Duration.ofDays(1)).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> text().birthTime(Duration.ofMinutes(10), Duration.ofMillis(1))
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aListenerThatFailsDisturbsNothing() {
        Oncegate disturbed = Oncegate.claimed(memory)
                .listener(event -> {
                    throw new IllegalStateException("listener");
                })
                .build();
        assertThat(disturbed.run(call(), claim -> "x")).isEqualTo(new Outcome.Executed<>("x"));
        disturbed.close();
    }

    @Test
    void forgettingARecordLetsItsKeyRunAgain() {
        run(call());
        assertThat(memory.forget(call().key().id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(run(call())).isEqualTo(new Outcome.Executed<>("run 2"));
    }
}
