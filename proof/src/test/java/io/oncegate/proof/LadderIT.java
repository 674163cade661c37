package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The ladder on a real Redis, which loses everything all the time, and real databases. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB"})
class LadderIT extends OnEachDatabase {
    private static final int REQUESTS = 1000;
    private static final int SENDINGS = 4;
    private static final int CALLERS = 8;
    private static final int SAMPLE = 20;
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
    private static final Operation<String> OPERATION =
            text().lease(Duration.ofSeconds(5)).waitUpTo(Duration.ofSeconds(60)).build();

    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final RedisBackend redis = RedisBackend.connecting(
            client, server.uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(5)));
    private final Oncegate ladder =
            scene.ladder(new RedisRecordStore(redis), () -> null).build();

    LadderIT(Databases kind) {
        super(kind);
    }

    @AfterEach
    void close() {
        ladder.close();
        redis.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }

    private String answer(Call<String> call) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), "run " + scene.runs.get()))
                .orElseThrow();
    }

    @Test
    @DisplayName("C23: one effect per request, although Redis is flushed every 10 ms and killed twice")
    void losingRedisCostsSpeedAlone() throws Exception {
        List<Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            calls.add(call(OPERATION, newKey()));
        }
        ConcurrentHashMap<Call<String>, Set<String>> answers = new ConcurrentHashMap<>();
        AtomicInteger flushes = new AtomicInteger();
        ScheduledExecutorService flusher = Executors.newSingleThreadScheduledExecutor();
        var unused = flusher.scheduleWithFixedDelay(() -> flush(flushes), 0, 10, TimeUnit.MILLISECONDS);
        AtomicInteger next = new AtomicInteger();
        try {
            runAll(() -> {
                int number;
                while ((number = next.getAndIncrement()) < REQUESTS * SENDINGS) {
                    if (number == REQUESTS || number == 3 * REQUESTS) {
                        server.kill();
                        server.start();
                    }
                    // Sendings of one request are next to each other, so that they meet.
                    Call<String> call = calls.get(number / SENDINGS);
                    answers.computeIfAbsent(call, unknown -> ConcurrentHashMap.newKeySet())
                            .add(answer(call));
                }
            });
        } finally {
            flusher.shutdownNow();
        }
        assertThat(flushes).hasPositiveValue();
        for (Call<String> call : calls) {
            assertThat(scene.see(call)).isEqualTo(ONCE);
            assertThat(answers.get(call)).hasSize(1);
        }
        server.kill();
        for (Call<String> call : calls.subList(0, SAMPLE)) {
            assertThat(ladder.run(call, scene.effect(call.key().value(), "again")))
                    .as("with Redis stopped")
                    .isEqualTo(
                            new Outcome.Replayed<>(answers.get(call).iterator().next()));
        }
    }

    private void flush(AtomicInteger flushes) {
        try {
            server.send("FLUSHALL");
            flushes.incrementAndGet();
        } catch (IOException e) {
            // killed at the moment
        }
    }

    interface Caller {
        void run() throws Exception;
    }

    static void runAll(Caller caller) throws InterruptedException, ExecutionException {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                ends.add(callers.submit(() -> {
                    caller.run();
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    @DisplayName("a first run costs Redis two round trips, a repetition one, and a repetition costs the database none")
    void roundTrips() throws Exception {
        // a renewal would count too
        Operation<String> operation = text().lease(Duration.ofMinutes(10)).build();
        answer(call(operation, newKey()));
        Call<String> call = call(operation, newKey());
        server.send("CONFIG RESETSTAT");
        Watch.Sent before = scene.watch.sent();
        answer(call);
        assertThat(scripts()).isEqualTo(2);
        Watch.Sent run = scene.watch.sent().since(before);
        assertThat(run.connections()).isOne();
        assertThat(run.commits()).isOne();
        before = scene.watch.sent();
        answer(call);
        assertThat(scripts()).isEqualTo(3);
        assertThat(scene.watch.sent().since(before)).isEqualTo(new Watch.Sent(0, 0, 0, 0, 0));
    }

    private int scripts() throws IOException {
        Matcher found = SCRIPTS.matcher(server.send("INFO commandstats"));
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }
}
