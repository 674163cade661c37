package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Outcome;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordState;
import io.oncegate.testsupport.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills a second JVM with SIGKILL in the midst of an operation, and goes on as another process would: G6 and G7.
 *
 * <p>How often a batch is killed at a random moment is set with {@code -Dproof.rounds}.
 */
class CrashIT {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int ROUNDS = Integer.getInteger("proof.rounds", 6);
    /** Longer than a commit takes, so that kills fall before, into and after it. */
    private static final long LONGEST_DELAY = TimeUnit.MILLISECONDS.toNanos(6);

    private static final Kind.Places PLACES = new Kind.Places();
    private static final Map<Kind, Side> SIDES = new EnumMap<>(Kind.class);

    @AfterAll
    static void close() {
        SIDES.values().forEach(Side::close);
        PLACES.close();
    }

    private static synchronized Side side(Kind kind) throws SQLException {
        Side side = SIDES.get(kind);
        if (side == null) {
            side = new Side(PLACES.of(kind), Side.Settings.lease(LEASE));
            SIDES.put(kind, side);
        }
        return side;
    }

    static Stream<Arguments> claimedAtEachLabel() {
        return atEachLabel(List.of(Kind.CLAIMED_REDIS, Kind.CLAIMED_POSTGRESQL, Kind.CLAIMED_MARIADB));
    }

    static Stream<Arguments> sameTransactionAtEachLabel() {
        return atEachLabel(List.of(
                Kind.SAME_POSTGRESQL,
                Kind.SAME_MARIADB,
                Kind.SAME_MARIADB_MYSQL_DRIVER,
                Kind.LATE_POSTGRESQL,
                Kind.LATE_MARIADB));
    }

    private static Stream<Arguments> atEachLabel(List<Kind> kinds) {
        return kinds.stream().flatMap(kind -> Stream.of(Label.values()).map(label -> Arguments.of(kind, label)));
    }

    /** Starts a victim, kills it at the label, and gives the key that it was working on. */
    private static String killAt(Kind kind, Label label) throws SQLException {
        String key = "crash-" + UUID.randomUUID();
        try (VictimProcess victim = VictimProcess.start(PLACES.of(kind), LEASE, label, key)) {
            victim.awaitAt(label);
            assertThat(victim.kill()).isEqualTo(VictimProcess.KILLED);
        }
        return key;
    }

    @ParameterizedTest
    @MethodSource("claimedAtEachLabel")
    @Execution(ExecutionMode.CONCURRENT)
    @DisplayName("C41, G7: a claim of a killed process is held until its lease's end, then taken over")
    void claimedModeFreesTheKeyAtTheLeasesEnd(Kind kind, Label label) throws SQLException {
        Side side = side(kind);
        String key = killAt(kind, label);

        if (label == Label.AFTER_SETTLE_BEFORE_ANSWER) {
            assertThat(side.run(key, "again")).isEqualTo(new Outcome.Replayed<>("victim"));
        } else {
            takeOver(kind, side, key);
        }

        assertThat(side.run(key, "once more")).isInstanceOf(Outcome.Replayed.class);
        Effects.Seen seen = side.see(key);
        assertThat(seen.second()).isEqualTo(seen.first());
        if (label == Label.COMMIT_UNANSWERED || label == Label.AFTER_EFFECT_BEFORE_SETTLE) {
            // The documented limit of this mode: killed between effect and settling, the effect may happen again.
            assertThat(seen.first()).isBetween(1, 2);
        } else {
            assertThat(seen.first()).isOne();
        }
    }

    private static void takeOver(Kind kind, Side side, String key) throws SQLException {
        RecordBrowser.Entry left = side.record(key).orElseThrow();
        assertThat(left.state()).isEqualTo(RecordState.RUNNING);
        Outcome<String> outcome = side.run(key, "again");
        if (side.storeMicros(PLACES.of(kind)) < left.leaseEnd()) {
            assertThat(outcome).isInstanceOf(Outcome.Held.class);
        }
        while (outcome instanceof Outcome.Held<String> refusal) {
            assertThat(refusal.retryAfter()).isLessThanOrEqualTo(LEASE);
            assertThat(side.storeMicros(PLACES.of(kind)))
                    .as("held, although the lease has been over for long")
                    .isLessThan(left.leaseEnd() + TimeUnit.SECONDS.toMicros(LIMIT.toSeconds()));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            outcome = side.run(key, "again");
        }
        assertThat(outcome).isEqualTo(new Outcome.Executed<>("again"));
        // A fence is no lower than the store's time when the claim was granted.
        assertThat(side.record(key).orElseThrow().fence()).isGreaterThanOrEqualTo(left.leaseEnd());
    }

    @ParameterizedTest
    @MethodSource("sameTransactionAtEachLabel")
    @Execution(ExecutionMode.CONCURRENT)
    @DisplayName("C71, G6: record and effect are there together or not at all, whatever was killed")
    void sameTransactionModeHasOneEffect(Kind kind, Label label) throws SQLException {
        Side side = side(kind);
        String key = killAt(kind, label);

        boolean committed = label == Label.COMMIT_UNANSWERED || label == Label.AFTER_SETTLE_BEFORE_ANSWER;
        assertAgreed(side.see(key));
        assertThat(onceNotHeld(side, key))
                .isEqualTo(committed ? new Outcome.Replayed<>("victim") : new Outcome.Executed<>("again"));
        assertThat(side.run(key, "once more")).isEqualTo(new Outcome.Replayed<>(committed ? "victim" : "again"));
        assertThat(side.see(key)).isEqualTo(new Effects.Seen(1, 1, 1));
    }

    private static void assertAgreed(Effects.Seen seen) {
        assertThat(seen).isIn(new Effects.Seen(0, 0, 0), new Effects.Seen(1, 1, 1));
    }

    /** The database takes a moment to see that its client has gone, or a lease has to end. */
    private static Outcome<String> onceNotHeld(Side side, String key) {
        AtomicReference<Outcome<String>> last = new AtomicReference<>();
        Await.until("no longer held", LIMIT, () -> {
            last.set(side.run(key, "again"));
            return !(last.get() instanceof Outcome.Held);
        });
        return last.get();
    }

    static Stream<Arguments> rounds() {
        return Stream.of(Kind.SAME_POSTGRESQL, Kind.SAME_MARIADB, Kind.LATE_POSTGRESQL, Kind.CLAIMED_REDIS)
                .flatMap(kind -> IntStream.rangeClosed(1, ROUNDS).mapToObj(round -> Arguments.of(kind, round)));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    @Execution(ExecutionMode.CONCURRENT)
    @DisplayName("G6, G7: killed at a random moment around a commit")
    void aBatchKilledAroundACommit(Kind kind, int round, TestReporter reporter) throws SQLException {
        Side side = side(kind);
        String name = "batch-" + round + "-" + UUID.randomUUID();
        int target = ThreadLocalRandom.current().nextInt(1, 12);
        List<String> said;
        try (VictimProcess victim = VictimProcess.startBatch(PLACES.of(kind), LEASE, name)) {
            victim.await((round % 2 == 0 ? "COMMITTING " : "BEGIN ") + target);
            long delay = ThreadLocalRandom.current().nextLong(LONGEST_DELAY);
            for (long start = System.nanoTime(); System.nanoTime() - start < delay; ) {
                Thread.onSpinWait();
            }
            assertThat(victim.kill()).isEqualTo(VictimProcess.KILLED);
            said = victim.allSaid();
        }

        int begun = count(said, "BEGIN");
        int done = count(said, "DONE");
        assertThat(begun).isGreaterThan(target).isBetween(done, done + 1);
        for (int i = 0; i < done; i++) {
            assertThat(side.run(name + "-" + i, "again")).isEqualTo(new Outcome.Replayed<>("victim"));
            assertThat(side.see(name + "-" + i).first()).isOne();
        }
        if (begun > done) {
            String inFlight = name + "-" + done;
            if (kind.mode.sameTransaction()) {
                assertAgreed(side.see(inFlight));
            }
            Outcome<String> outcome = onceNotHeld(side, inFlight);
            Effects.Seen seen = side.see(inFlight);
            assertThat(seen.second()).isEqualTo(seen.first());
            boolean twice = kind == Kind.CLAIMED_REDIS && outcome instanceof Outcome.Executed && seen.first() == 2;
            assertThat(seen.first()).isEqualTo(twice ? 2 : 1);
            assertThat(side.run(inFlight, "once more")).isInstanceOf(Outcome.Replayed.class);
            reporter.publishEntry(kind + " in flight", outcome + ", effects " + seen.first());
        } else {
            reporter.publishEntry(kind + " in flight", "nothing");
        }
    }

    private static int count(List<String> said, String beginning) {
        return (int)
                said.stream().filter(line -> line.startsWith(beginning + " ")).count();
    }
}
