package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.oncegate.core.Call;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.PostgresServer;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Stops the store itself before, while and after the business runs: G8 and G9. */
class StoreStoppedIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    @Test
    @DisplayName("C88: Redis stopped before, while and after the business runs")
    void redisStopped() {
        try (RedisServer server = RedisServers.ownDurable()) {
            RedisClient client = RedisClient.create();
            try (RedisBackend backend = RedisBackend.connecting(
                    client, server.uri(), RedisOptions.defaults().withTimeout(TIMEOUT))) {
                new Scene(server, new RedisRecordStore(backend)).stopBeforeWhileAndAfter();
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    @Test
    @DisplayName("C88: PostgreSQL stopped before, while and after the business runs")
    void postgresStopped() throws Exception {
        try (PostgresServer server = PostgresServer.own()) {
            DataSource source = new DriverSource(server.jdbcUrl("postgres"), server.user(), server.password());
            new Effects(source).create();
            new Scene(server, JdbcRecordStore.builder(source).timeout(TIMEOUT).build()).stopBeforeWhileAndAfter();
        }
    }

    private static final class Scene {
        final TestServer server;
        final RecordStore store;
        final ConcurrentLinkedQueue<OnceEvent.Kind> told = new ConcurrentLinkedQueue<>();
        final AtomicInteger runs = new AtomicInteger();

        Scene(TestServer server, RecordStore store) {
            this.server = server;
            this.store = store;
        }

        private static Call<String> call(Operation.Builder<String> operation) {
            return operation.build().call(Scope.of("alice"), UUID.randomUUID().toString(), Fingerprint.of("10"));
        }

        private static Operation.Builder<String> text() {
            return Operation.named("order.create").returning(String.class);
        }

        void stopBeforeWhileAndAfter() {
            try (Oncegate once = Oncegate.claimed(store)
                    .settleFor(Duration.ofMillis(500))
                    .listener(event -> told.add(event.kind()))
                    .build()) {
                before(once);
                during(once);
                after(once);
            }
        }

        private String business(Runnable more) {
            runs.incrementAndGet();
            more.run();
            return "done";
        }

        private void before(Oncegate once) {
            Call<String> call = call(text());
            server.stop();
            assertThatThrownBy(() -> once.run(call, claim -> business(() -> {})))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(runs).hasValue(0);

            Call<String> open = call(text().whenStoreDown(WhenStoreDown.RUN_UNPROTECTED));
            assertThat(once.run(open, claim -> business(() -> {}))).isEqualTo(new Outcome.Unprotected<>("done"));
            assertThat(told).contains(OnceEvent.Kind.STORE_DOWN, OnceEvent.Kind.UNPROTECTED);

            server.start();
            runs.set(0);
            Await.until(
                    "right again",
                    LIMIT,
                    () -> once.run(call, claim -> business(() -> {})).replayed());
            assertThat(runs).hasValue(1);
        }

        private void during(Oncegate once) {
            runs.set(0);
            Call<String> call = call(text());
            Await.until("nothing is left over from before", LIMIT, () -> {
                Call<String> probe = call(text());
                return once.run(probe, claim -> "up").equals(new Outcome.Executed<>("up"));
            });
            Outcome<String> outcome;
            try {
                outcome = once.run(
                        call,
                        claim -> business(() -> {
                            server.stop();
                            server.start();
                        }));
                assertThat(outcome).isEqualTo(new Outcome.Executed<>("done"));
            } catch (OutcomeNotRecordedException e) {
                // A reconnect may take longer than the settling waits; the outcome is then sent on.
                assertThat(told).contains(OnceEvent.Kind.NOT_RECORDED);
            }
            awaitReplay(once, call);
            assertThat(runs).hasValue(1);
        }

        private void after(Oncegate once) {
            runs.set(0);
            Call<String> call = call(text());
            assertThatThrownBy(() -> once.run(call, claim -> business(server::stop)))
                    .isInstanceOf(OutcomeNotRecordedException.class);
            assertThatThrownBy(() -> once.run(call, claim -> business(() -> {})))
                    .isInstanceOf(StoreUnavailableException.class);
            server.start();
            awaitReplay(once, call);
            assertThat(runs)
                    .as("never run again once the business has returned")
                    .hasValue(1);
        }

        private void awaitReplay(Oncegate once, Call<String> call) {
            Await.until(
                    "the outcome is recorded",
                    LIMIT,
                    () -> once.run(call, claim -> business(() -> {})).equals(new Outcome.Replayed<>("done")));
        }
    }
}
