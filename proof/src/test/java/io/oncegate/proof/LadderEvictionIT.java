package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A Redis whose memory is full, in front of real databases: it drops what has a time to live, or takes nothing any more. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB"})
class LadderEvictionIT extends OnEachDatabase {
    private static final int REQUESTS = 100;
    private static final int SENDINGS = 4;
    private static final String FILLERS = "filler-";
    private static final int BATCH = 50;
    private static final int MOST_FILLERS = 20_000;
    private static final String FILLER = "f".repeat(50_000);
    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final Operation<String> OPERATION =
            text().lease(LEASE).waitUpTo(Duration.ofSeconds(60)).build();
    private static final Operation<String> AT_ONCE = text().lease(LEASE).build();

    private final RedisServer server = RedisServers.own("maxmemory 20mb", "maxmemory-policy volatile-lru");
    private final RedisClient client = RedisClient.create(server.uri());
    private final RedisBackend redis = RedisBackend.connecting(
            client, server.uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
    private final RedisRecordStore records = new RedisRecordStore(redis);
    private final RedisCommands<String, String> others = client.connect().sync();
    private final AtomicInteger fillers = new AtomicInteger();
    private final Oncegate ladder = scene.ladder(records, () -> null).build();

    LadderEvictionIT(Databases kind) {
        super(kind);
    }

    @AfterEach
    void close() {
        ladder.close();
        redis.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }

    private static List<Call<String>> newCalls() {
        List<Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            calls.add(call(OPERATION, newKey()));
        }
        return calls;
    }

    private Outcome<String> send(Call<String> call) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), "run " + scene.runs.get()));
    }

    /** What another application writes, with a time to live as records have it. */
    private void fillOnce() {
        others.setex(FILLERS + fillers.incrementAndGet(), 3600, FILLER);
    }

    /** How many records there are. Asked so that Redis does not take it for a use of them. */
    private long inRedis() {
        return others.keys("*").stream().filter(key -> !key.startsWith(FILLERS)).count();
    }

    /** Fills until Redis has dropped all records. */
    private void fillUntilDropped() {
        while (inRedis() > 0) {
            assertThat(fillers).as("Redis keeps records").hasValueLessThan(MOST_FILLERS);
            for (int i = 0; i < BATCH; i++) {
                fillOnce();
            }
        }
    }

    private static void assertSame(Map<Call<String>, Set<String>> answers) throws SQLException {
        assertThat(answers).hasSize(REQUESTS);
        for (Map.Entry<Call<String>, Set<String>> entry : answers.entrySet()) {
            assertThat(entry.getValue()).hasSize(1);
            assertThat(scene.see(entry.getKey())).isEqualTo(ONCE);
        }
    }

    private static void add(Map<Call<String>, Set<String>> answers, Call<String> call, Outcome<String> outcome) {
        answers.computeIfAbsent(call, unknown -> ConcurrentHashMap.newKeySet()).add(outcome.orElseThrow());
    }

    /** Each call some times, from many threads, the sendings of one next to each other. */
    private void sendAll(List<Call<String>> calls, Map<Call<String>, Set<String>> answers) throws Exception {
        AtomicInteger next = new AtomicInteger();
        LadderIT.runAll(() -> {
            int number;
            while ((number = next.getAndIncrement()) < REQUESTS * SENDINGS) {
                Call<String> call = calls.get(number / SENDINGS);
                add(answers, call, send(call));
            }
        });
    }

    @Test
    @DisplayName(
            "C23: Redis evicts answers and a running claim: one effect, the same answer, and the claim still holds")
    void whatRedisEvictsTheJudgeKnows() throws Exception {
        List<Call<String>> calls = newCalls();
        Map<Call<String>, Set<String>> answers = new ConcurrentHashMap<>();
        for (Call<String> call : calls) {
            Outcome<String> first = send(call);
            assertThat(first).isInstanceOf(Outcome.Executed.class);
            add(answers, call, first);
        }
        Call<String> running = call(AT_ONCE, newKey());
        Claim<String> claim = ((Begun.Started<String>) ladder.begin(running)).claim();
        assertThat(inRedis()).isEqualTo(REQUESTS + 1);
        fillUntilDropped();

        assertThat(send(running)).isInstanceOf(Outcome.Held.class);
        sendAll(calls, answers);
        assertSame(answers);
        String done = scene.<String>effect(running.key().value(), "done").run(claim);
        assertThat(claim.succeed(done)).isEqualTo(new Outcome.Executed<>("done"));
        assertThat(send(running)).isEqualTo(new Outcome.Replayed<>("done"));
        assertThat(scene.see(running)).isEqualTo(ONCE);
        assertThat(others.info("stats")).doesNotContain("evicted_keys:0");
    }

    @Test
    @DisplayName("C23: twins are sent while Redis evicts all the time: one effect, the same answer, no exception")
    void twinsUnderMemoryPressure() throws Exception {
        List<Call<String>> calls = newCalls();
        Map<Call<String>, Set<String>> answers = new ConcurrentHashMap<>();
        AtomicBoolean sending = new AtomicBoolean(true);
        CompletableFuture<Void> filling = CompletableFuture.runAsync(() -> {
            while (sending.get()) {
                fillOnce();
            }
        });
        try {
            sendAll(calls, answers);
        } finally {
            sending.set(false);
            filling.join();
        }
        fillUntilDropped();
        sendAll(calls, answers);
        assertSame(answers);
    }

    @Test
    @DisplayName("C23: a Redis that is full of what it may not evict refuses all writes: the database answers alone")
    void aRedisThatRefusesAllWrites() throws Exception {
        List<Call<String>> calls = newCalls();
        Map<Call<String>, Set<String>> answers = new ConcurrentHashMap<>();
        for (Call<String> call : calls.subList(0, REQUESTS / 2)) {
            add(answers, call, send(call));
        }
        assertThatThrownBy(() -> {
                    while (fillers.get() < MOST_FILLERS) {
                        others.set(FILLERS + fillers.incrementAndGet(), FILLER);
                    }
                })
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("OOM");
        sendAll(calls, answers);
        assertSame(answers);
    }

    @Test
    @DisplayName("C23: claimed in Redis alone, an evicted request runs again, and the unique index keeps it to one row")
    void withoutAJudgeTheUniqueIndexIsTheBackstop() throws Exception {
        InsertFirst seats = InsertFirst.into("seat")
                .guard(UniqueConstraint.primaryKey("seat"), "name")
                .keyAlone()
                .build();
        List<Call<String>> calls = newCalls();
        Map<Call<String>, Set<String>> answers = new ConcurrentHashMap<>();
        try (Oncegate claimed = Oncegate.claimed(records).build()) {
            for (int sending = 0; sending < 2; sending++) {
                for (Call<String> call : calls) {
                    Map<String, String> seat = Map.of("name", call.key().value());
                    add(answers, call, claimed.run(call, claim -> {
                        scene.runs.incrementAndGet();
                        return seats.insert(scene.pool(), seat, row -> row.getString("name"))
                                .row();
                    }));
                }
                fillUntilDropped();
            }
        }
        assertThat(scene.runs).as("all were evicted").hasValue(2 * REQUESTS);
        for (Call<String> call : calls) {
            assertThat(answers.get(call)).containsExactly(call.key().value());
        }
        try (Connection connection = scene.pool().getConnection();
                ResultSet row = connection.createStatement().executeQuery("SELECT COUNT(*) FROM seat")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(REQUESTS);
        }
    }
}
