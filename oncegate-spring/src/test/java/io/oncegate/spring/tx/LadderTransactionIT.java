package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;

/** The ladder in the transactions of Spring's manager for JPA, with a real Redis in front. */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LadderTransactionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TWINS = 8;
    private static final int KEYS = 10;
    private static final Operation<String> PAY =
            operation("pay").waitUpTo(PATIENCE).build();
    private static final Operation<String> AT_ONCE = operation("pay.at-once").build();

    @Parameter
    Databases kind;

    private RedisServer server;
    private RedisClient client;
    private RedisBackend redis;
    private RedisRecordStore records;
    private SpringSetup setup;
    private Shop shop;
    private Oncegate ladder;

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @BeforeParameterizedClassInvocation
    void start() throws Exception {
        server = RedisServers.own();
        client = RedisClient.create();
        redis = RedisBackend.connecting(
                client, server.uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
        records = new RedisRecordStore(redis);
        setup = new SpringSetup(kind, true, TWINS);
        shop = setup.shop;
        ladder = setup.ladder(records);
    }

    @AfterParameterizedClassInvocation
    void stop() {
        ladder.close();
        setup.close();
        redis.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
        server.close();
    }

    private static Operation.Builder<String> operation(String name) {
        return Operation.named(name)
                .returning(String.class)
                .refusal("sold-out", Shop.SoldOut.class, Shop.SoldOut::new)
                .failures(failure ->
                        failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED);
    }

    private static Call<String> newCall() {
        return PAY.call(Scope.of("u"), UUID.randomUUID().toString(), Fingerprint.none());
    }

    private Outcome<String> pay(Call<String> call, Supplier<String> business) {
        return ladder.run(call, claim -> business.get());
    }

    private Outcome<String> again(Call<String> call) {
        return pay(call, () -> {
            throw new AssertionError("run again");
        });
    }

    private RecordState inRedis(Call<?> call) {
        return records.find(call.key().id()).map(Entry::state).orElse(RecordState.FREE);
    }

    private void forgetInRedis(Call<?> call) {
        records.forget(call.key().id());
    }

    private void assertRows(String id, int rows) {
        assertThat(shop.payments(id)).as("payments " + id).isEqualTo(rows);
    }

    private static String newId() {
        return UUID.randomUUID().toString();
    }

    @Test
    @DisplayName(
            "an entity is written once, and its answer comes from Redis, or from the database where Redis has lost it")
    void anEntityIsWrittenOnce() {
        Call<String> call = newCall();
        String id = newId();
        assertThat(pay(call, () -> shop.save(id, 10))).isEqualTo(new Outcome.Executed<>("saved 10"));
        assertThat(inRedis(call)).isEqualTo(RecordState.SUCCEEDED);
        assertThat(again(call)).isEqualTo(new Outcome.Replayed<>("saved 10"));
        forgetInRedis(call);
        assertThat(again(call)).isEqualTo(new Outcome.Replayed<>("saved 10"));
        assertThat(inRedis(call)).as("refilled").isEqualTo(RecordState.SUCCEEDED);
        assertRows(id, 1);
    }

    @Test
    @DisplayName("a flush that fails at the commit leaves nothing in either store, and the next call runs")
    void aFailedFlush() {
        Call<String> call = newCall();
        String id = newId();
        assertThatThrownBy(() -> pay(call, () -> shop.persistTwice(id))).isInstanceOf(DataAccessException.class);
        assertThat(inRedis(call)).isEqualTo(RecordState.FREE);
        assertThat(pay(call, () -> shop.save(id, 1))).isInstanceOf(Outcome.Executed.class);
        assertRows(id, 1);
    }

    @Test
    @DisplayName("a kept refusal is answered by both stores, and takes no unflushed entity along")
    void aKeptRefusal() {
        Call<String> call = newCall();
        String id = newId();
        assertThat(pay(call, () -> shop.persistAndFail(id, new Shop.SoldOut("none left"))))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(inRedis(call)).isEqualTo(RecordState.REFUSED);
        assertThat(again(call)).isInstanceOf(Outcome.Refused.class);
        forgetInRedis(call);
        assertThat(again(call)).isInstanceOf(Outcome.Refused.class);
        assertRows(id, 0);
    }

    @Test
    @DisplayName("in the caller's transaction Redis holds twins until he commits, and is free after he has rolled back")
    void theCallersTransaction() {
        Call<String> call = newCall();
        String id = newId();
        assertThatThrownBy(() -> shop.inTransaction(() -> {
                    pay(call, () -> shop.save(id, 1));
                    throw new IllegalStateException("later");
                }))
                .hasMessage("later");
        assertThat(inRedis(call)).isEqualTo(RecordState.FREE);
        assertRows(id, 0);
        shop.inTransaction(() -> {
            assertThat(pay(call, () -> shop.save(id, 2))).isInstanceOf(Outcome.Executed.class);
            assertThat(again(call)).as("in the same transaction").isEqualTo(new Outcome.Replayed<>("saved 2"));
            assertThat(inRedis(call)).isEqualTo(RecordState.RUNNING);
            return "commit";
        });
        assertThat(inRedis(call)).isEqualTo(RecordState.SUCCEEDED);
        assertThat(again(call)).isEqualTo(new Outcome.Replayed<>("saved 2"));
        assertRows(id, 1);
    }

    @Test
    @DisplayName(
            "a repetition in a caller's transaction is answered, leaves Redis free for others, and does not refill it")
    void aRepetitionInTheCallersTransaction() {
        Call<String> call = newCall();
        pay(call, () -> shop.save(newId(), 1));
        forgetInRedis(call);
        shop.inTransaction(() -> {
            assertThat(again(call)).isEqualTo(new Outcome.Replayed<>("saved 1"));
            assertThat(inRedis(call)).isEqualTo(RecordState.FREE);
            return "commit";
        });
        assertThat(inRedis(call)).isEqualTo(RecordState.FREE);
        assertThat(again(call)).isEqualTo(new Outcome.Replayed<>("saved 1"));
        assertThat(inRedis(call)).isEqualTo(RecordState.SUCCEEDED);
    }

    @Test
    @DisplayName("an operation within another one's business ends with the outer transaction, in both stores")
    void nestedOperations() {
        Call<String> outer = newCall();
        Call<String> inner = newCall();
        String id = newId();
        Supplier<String> within = () -> pay(inner, () -> shop.save(id, 1)).orElseThrow();
        assertThatThrownBy(() -> pay(outer, () -> {
                    var unused = within.get();
                    throw new IllegalStateException("the outer one fails");
                }))
                .hasMessage("the outer one fails");
        assertThat(inRedis(outer)).isEqualTo(RecordState.FREE);
        assertThat(inRedis(inner)).isEqualTo(RecordState.FREE);
        assertRows(id, 0);
        assertThat(pay(outer, () -> {
                    var unused = within.get();
                    throw new Shop.SoldOut("the outer one refuses");
                }))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(inRedis(outer)).isEqualTo(RecordState.REFUSED);
        assertThat(inRedis(inner)).as("undone with the outer one's business").isEqualTo(RecordState.FREE);
        assertRows(id, 0);
        assertThat(pay(newCall(), within)).isEqualTo(new Outcome.Executed<>("saved 1"));
        assertThat(inRedis(inner)).isEqualTo(RecordState.SUCCEEDED);
        assertThat(again(inner)).isEqualTo(new Outcome.Replayed<>("saved 1"));
        assertRows(id, 1);
    }

    @Test
    @DisplayName(
            "an outcome that nobody knows outlives the caller's rollback, and Redis keeps twins off until it is recorded")
    void anUnknownOutcome() {
        Call<String> call = newCall();
        assertThatThrownBy(() -> shop.inTransaction(() -> pay(call, () -> shop.payAndFail(newId(), new TimedOut()))
                        .orElseThrow()))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(again(call)).isInstanceOf(Outcome.Unknown.class);
        Await.until("Redis is free", PATIENCE, () -> inRedis(call) == RecordState.FREE);
        assertThat(again(call)).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    @DisplayName(
            "until an unknown outcome is recorded after the caller's rollback, his own thread is a twin like any other")
    void theCallersThreadAfterwards() {
        CountDownLatch recording = new CountDownLatch(1);
        try (Oncegate slow =
                Oncegate.ladder(records, inTheBackground(recording)).build()) {
            Call<String> call = AT_ONCE.call(Scope.of("u"), UUID.randomUUID().toString(), Fingerprint.none());
            assertThatThrownBy(() ->
                            shop.inTransaction(() -> slow.run(call, claim -> shop.payAndFail(newId(), new TimedOut()))
                                    .orElseThrow()))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(slow.run(call, claim -> "run again")).isInstanceOf(Outcome.Held.class);
            recording.countDown();
            Await.until("it is recorded", PATIENCE, () -> inRedis(call) == RecordState.FREE);
            assertThat(slow.run(call, claim -> "run again")).isInstanceOf(Outcome.Unknown.class);
        } finally {
            recording.countDown();
        }
    }

    /** The judge, whose transactions on the engine's own threads wait for this. */
    private TransactionalRecordStore inTheBackground(CountDownLatch recording) {
        TransactionalRecordStore judge = setup.judge();
        return new TransactionalRecordStore() {
            @Override
            public String name() {
                return judge.name();
            }

            @Override
            public RecordTransaction begin() {
                if (Thread.currentThread().getName().startsWith("oncegate-")) {
                    await(recording);
                }
                return judge.begin();
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName(
            "C23: twins of many requests, half of them in callers' transactions, while Redis is flushed all the time")
    void twinsWhileRedisIsFlushed() throws Exception {
        AtomicBoolean sending = new AtomicBoolean(true);
        ExecutorService threads = Executors.newFixedThreadPool(TWINS + 1);
        Future<?> flushing = threads.submit(() -> {
            while (sending.get()) {
                server.send("FLUSHALL");
            }
            return null;
        });
        try {
            for (int i = 0; i < KEYS; i++) {
                Call<String> call = newCall();
                String id = newId();
                List<Future<Outcome<String>>> answers = new ArrayList<>();
                for (int twin = 0; twin < TWINS; twin++) {
                    Supplier<Outcome<String>> send = () -> pay(call, () -> shop.save(id, 1));
                    boolean inside = twin % 2 == 0;
                    answers.add(threads.submit(() -> inside ? shop.inTransaction(send) : send.get()));
                }
                int executed = 0;
                for (Future<Outcome<String>> answer : answers) {
                    Outcome<String> outcome = answer.get(60, TimeUnit.SECONDS);
                    assertThat(outcome.orElseThrow()).isEqualTo("saved 1");
                    executed += outcome instanceof Outcome.Executed ? 1 : 0;
                }
                assertThat(executed).isOne();
                assertRows(id, 1);
            }
        } finally {
            sending.set(false);
            flushing.get(60, TimeUnit.SECONDS);
            threads.shutdownNow();
        }
    }
}
