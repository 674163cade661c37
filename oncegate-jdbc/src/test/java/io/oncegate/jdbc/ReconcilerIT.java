package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.ClaimContext;
import io.oncegate.core.FailureKind;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.ReconcilePolicy;
import io.oncegate.core.Reconciler;
import io.oncegate.core.Reconciler.Finding;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordState;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Unknown outcomes in same-transaction mode: the record's lock stands for the lease. */
class ReconcilerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ReconcilePolicy AT_ONCE =
            ReconcilePolicy.DEFAULT.pauses(Duration.ofMillis(1), Duration.ofMillis(1));
    private static final ReconcilePolicy MUCH_LATER =
            ReconcilePolicy.DEFAULT.pauses(Duration.ofHours(1), Duration.ofHours(1));

    static Stream<TestSetup> kinds() {
        return Stream.of(TestSetup.H2, TestSetup.POSTGRESQL, TestSetup.MARIADB);
    }

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** A payment service on one database. */
    private static final class Scene implements AutoCloseable {
        final TestSetup.Open open;
        final HikariDataSource pool;
        final Oncegate once;
        final JdbcRecordStore records;
        final List<OnceEvent.Kind> events = new CopyOnWriteArrayList<>();
        final AtomicInteger asks = new AtomicInteger();
        volatile Finding<String> finding = new Finding.StillUnknown<>();

        Scene(TestSetup setup) {
            open = setup.open();
            pool = open.pool(6);
            records = open.store(pool).build();
            once = Oncegate.sameTransaction(
                            open.transactional(TransactionSource.of(pool)).build())
                    .listener(event -> events.add(event.kind()))
                    .build();
        }

        Call<String> call(ReconcilePolicy policy) {
            return call(policy, (key, claim) -> {
                asks.incrementAndGet();
                return finding;
            });
        }

        static Call<String> call(ReconcilePolicy policy, Reconciler<String> reconciler) {
            return Operation.named("payment.send")
                    .returning(String.class)
                    .failures(failure ->
                            failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED)
                    .reconciler(reconciler, policy)
                    .build()
                    .call(Scope.of("alice"), UUID.randomUUID().toString(), Fingerprint.of("10"));
        }

        Outcome<String> run(Call<String> call, String row) {
            return once.run(call, claim -> paid(claim, row));
        }

        static String paid(ClaimContext claim, String row) {
            TestSetup.insertBusiness(claim.unwrap(Connection.class), row);
            return "ran " + row;
        }

        Outcome<String> timeOut(Call<String> call, String row) {
            return once.run(call, claim -> {
                Scene.paid(claim, row);
                throw new TimedOut();
            });
        }

        RecordState state(Call<String> call) {
            return records.find(call.key().id()).orElseThrow().state();
        }

        @Override
        public void close() {
            once.close();
            open.close();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatWasDoneIsReplayedAndWhatWasNotDoneRunsInTheSameTransaction(TestSetup setup) {
        try (Scene scene = new Scene(setup)) {
            Oncegate quiet = scene.once;
            Call<String> done = scene.call(AT_ONCE);
            scene.finding = new Finding.Done<>("paid");
            assertThat(scene.timeOut(done, "undone")).isInstanceOf(Outcome.Unknown.class);
            Await.until("found out", PATIENCE, () -> scene.run(done, "never").equals(new Outcome.Replayed<>("paid")));
            assertThat(scene.open.businessRows("undone") + scene.open.businessRows("never"))
                    .isZero();

            Call<String> free = scene.call(MUCH_LATER);
            scene.timeOut(free, "undone");
            scene.finding = new Finding.NotDone<>();
            scene.open.execute("UPDATE oncegate_record SET result_until = 0 WHERE state = 4");
            assertThat(scene.run(free, "row")).isEqualTo(new Outcome.Executed<>("ran row"));
            assertThat(quiet.run(free, claim -> "again")).isEqualTo(new Outcome.Replayed<>("ran row"));
            assertThat(scene.open.businessRows("row")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void itIsFoundOutInTheBackgroundOrFreedThereAndNeverRun(TestSetup setup) {
        try (Scene scene = new Scene(setup)) {
            Call<String> done = scene.call(AT_ONCE);
            scene.timeOut(done, "x");
            Await.until("asked again", PATIENCE, () -> scene.asks.get() >= 2);
            scene.finding = new Finding.Done<>("paid");
            Await.until("found out", PATIENCE, () -> scene.state(done) == RecordState.SUCCEEDED);
            scene.finding = new Finding.NotDone<>();
            Call<String> free = scene.call(AT_ONCE);
            scene.timeOut(free, "x");
            Await.until("freed", PATIENCE, () -> scene.state(free) == RecordState.FREE);
            assertThat(scene.open.businessRows("x")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void afterTheCapItStaysUnknownAndIsSeenByOperators(TestSetup setup) {
        try (Scene scene = new Scene(setup)) {
            Call<String> call = scene.call(AT_ONCE.maxAsks(2));
            scene.timeOut(call, "x");
            Await.until("given up", PATIENCE, () -> scene.events.contains(OnceEvent.Kind.GIVEN_UP));
            Await.until(
                    "recorded",
                    PATIENCE,
                    () -> scene.records.find(call.key().id()).orElseThrow().asked() == 2);
            assertThat(scene.run(call, "x")).isEqualTo(new Outcome.Unknown<>(call.key(), null, null));
            assertThat(scene.asks).hasValue(2);
            scene.records.forget(call.key().id());
            assertThat(scene.run(call, "after")).isEqualTo(new Outcome.Executed<>("ran after"));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whileOneAsksOthersAreHeldAndNobodyAsksTwice(TestSetup setup) throws Exception {
        try (Scene scene = new Scene(setup)) {
            CountDownLatch asking = new CountDownLatch(1);
            CountDownLatch answer = new CountDownLatch(1);
            Call<String> call = Scene.call(MUCH_LATER, (key, claim) -> {
                scene.asks.incrementAndGet();
                asking.countDown();
                answer.await();
                return new Finding.Done<>("paid");
            });
            scene.timeOut(call, "x");
            scene.open.execute("UPDATE oncegate_record SET result_until = 0 WHERE state = 4");
            FutureTask<Outcome<String>> first = new FutureTask<>(() -> scene.run(call, "x"));
            Thread thread = new Thread(first);
            thread.start();
            asking.await();
            assertThat(scene.run(call, "x")).isInstanceOf(Outcome.Held.class);
            answer.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("paid"));
            assertThat(scene.asks).hasValue(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void inACallersTransactionItIsKeptIfTheCallerCommits(TestSetup setup) throws Exception {
        try (Scene scene = new Scene(setup);
                Connection caller = scene.pool.getConnection()) {
            caller.setAutoCommit(false);
            Call<String> call = scene.call(MUCH_LATER);
            scene.timeOut(call, "x");
            scene.open.execute("UPDATE oncegate_record SET result_until = 0 WHERE state = 4");
            try (Oncegate joining = Oncegate.sameTransaction(scene.open
                            .transactional(TransactionSource.joining(() -> caller, scene.pool))
                            .build())
                    .build()) {
                assertThat(joining.run(call, claim -> Scene.paid(claim, "x"))).isInstanceOf(Outcome.Unknown.class);
                caller.rollback();
                scene.finding = new Finding.NotDone<>();
                assertThat(joining.run(call, claim -> Scene.paid(claim, "joined")))
                        .isEqualTo(new Outcome.Executed<>("ran joined"));
                caller.commit();
            }
            assertThat(scene.open.businessRows("joined")).isEqualTo(1);
            assertThat(scene.run(call, "x")).isEqualTo(new Outcome.Replayed<>("ran joined"));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRecordOfAnEarlierVersionIsAskedAbout(TestSetup setup) {
        try (Scene scene = new Scene(setup);
                Oncegate claimed = Oncegate.claimed(scene.records).build()) {
            Call<String> call = scene.call(MUCH_LATER);
            Claim<String> claim =
                    ((io.oncegate.core.Begun.Started<String>) claimed.begin(call)).claim();
            claim.fail(new TimedOut());
            scene.open.execute("UPDATE oncegate_record SET result = NULL, result_until = 0");
            scene.finding = new Finding.Done<>("paid");
            assertThat(claimed.run(call, running -> "never")).isEqualTo(new Outcome.Replayed<>("paid"));
        }
    }
}
