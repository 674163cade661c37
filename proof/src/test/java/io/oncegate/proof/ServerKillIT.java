package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.MariaDbServer;
import io.oncegate.testsupport.PostgresServer;
import io.oncegate.testsupport.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Kills the database server itself with SIGKILL in the midst of same-transaction operations: G6. */
class ServerKillIT {
    private static final int KILLS = Math.max(2, Integer.getInteger("proof.rounds", 6) / 5);
    private static final int CLIENTS = 8;
    private static final int OPERATIONS_BEFORE_THE_KILL = 40;

    /** What a caller was told. */
    private enum Told {
        DONE,
        NOTHING_HAPPENED,
        NOT_RECORDED
    }

    @Test
    @DisplayName("G6: PostgreSQL killed and restarted in the midst of a batch")
    void postgresKilledInABatch(TestReporter reporter) throws Exception {
        try (PostgresServer server = PostgresServer.own()) {
            execute(server.jdbcUrl("postgres"), server.user(), "CREATE DATABASE kills");
            killed(server, place(server.jdbcUrl("kills"), server.user()), reporter);
        }
    }

    @Test
    @DisplayName("G6: MariaDB killed and restarted in the midst of a batch")
    void mariaDbKilledInABatch(TestReporter reporter) throws Exception {
        try (MariaDbServer server = MariaDbServer.own()) {
            execute(server.jdbcUrl(""), server.user(), "CREATE DATABASE kills");
            killed(server, place(server.jdbcUrl("kills"), server.user()), reporter);
        }
    }

    private static Place place(String url, String user) {
        return new Place(Mode.SAME_TRANSACTION, url, user, "", "");
    }

    private static void execute(String url, String user, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void killed(TestServer server, Place place, TestReporter reporter) throws Exception {
        new Effects(new DriverSource(place.url(), place.user(), "")).create();
        Side.Settings settings =
                new Side.Settings(Duration.ofSeconds(3), Duration.ofSeconds(5), Duration.ofMillis(500));
        try (Side side = new Side(place, settings)) {
            for (int kill = 0; kill < KILLS; kill++) {
                Map<String, Told> told = batchUntilKilled(side, server, "kill-" + kill);
                restart(server);
                Map<Told, Integer> sums = new EnumMap<>(Told.class);
                for (Map.Entry<String, Told> entry : told.entrySet()) {
                    assertRight(side, entry.getKey(), entry.getValue());
                    sums.merge(entry.getValue(), 1, Integer::sum);
                }
                assertThat(sums.get(Told.DONE)).isGreaterThanOrEqualTo(OPERATIONS_BEFORE_THE_KILL);
                reporter.publishEntry("callers were told", sums.toString());
            }
        }
    }

    /** A backend that was being born when its parent was killed may hold the data for a moment. */
    private static void restart(TestServer server) {
        Await.until("the server is up again", Duration.ofSeconds(120), () -> {
            server.start();
            return true;
        });
    }

    private static Map<String, Told> batchUntilKilled(Side side, TestServer server, String name) throws Exception {
        Map<String, Told> told = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch warm = new CountDownLatch(OPERATIONS_BEFORE_THE_KILL);
        List<Thread> clients = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            String prefix = name + "-" + c + "-";
            Thread client = new Thread(() -> {
                for (int i = 0; !over.get(); i++) {
                    Told answer = ask(side, prefix + i);
                    told.put(prefix + i, answer);
                    warm.countDown();
                    if (answer != Told.DONE) {
                        return;
                    }
                }
            });
            client.start();
            clients.add(client);
        }
        assertThat(warm.await(60, TimeUnit.SECONDS)).isTrue();
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(20)));
        server.kill();
        over.set(true);
        for (Thread client : clients) {
            client.join();
        }
        return told;
    }

    private static Told ask(Side side, String key) {
        try {
            assertThat(side.run(key, "first")).isEqualTo(new Outcome.Executed<>("first"));
            return Told.DONE;
        } catch (OutcomeNotRecordedException e) {
            return Told.NOT_RECORDED;
        } catch (StoreUnavailableException | SQLException e) {
            // The second is the business's own failure, which means: nothing happened.
            return Told.NOTHING_HAPPENED;
        }
    }

    private static void assertRight(Side side, String key, Told told) throws SQLException {
        Effects.Seen before = side.see(key);
        assertThat(before).isIn(new Effects.Seen(0, 0, 0), new Effects.Seen(1, 1, 1));
        Outcome<String> outcome = side.run(key, "again");
        switch (told) {
            case DONE -> assertThat(outcome).as(key).isEqualTo(new Outcome.Replayed<>("first"));
            case NOTHING_HAPPENED -> assertThat(outcome).as(key).isEqualTo(new Outcome.Executed<>("again"));
            case NOT_RECORDED ->
                assertThat(outcome).as(key).isIn(new Outcome.Replayed<>("first"), new Outcome.Executed<>("again"));
        }
        assertThat(side.see(key)).isEqualTo(new Effects.Seen(1, 1, 1));
    }
}
