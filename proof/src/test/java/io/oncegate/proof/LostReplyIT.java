package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordState;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.TcpFault;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A line that breaks while a commit, a settling or a claim is under way: replies are lost, or nobody knows. */
@Execution(ExecutionMode.CONCURRENT)
class LostReplyIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);
    /** A reply is waited for no longer than this. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static final Kind.Places PLACES = new Kind.Places();

    @AfterAll
    static void close() {
        PLACES.close();
    }

    /** A place behind a line that can break, a side there, and another side that sees it past the line. */
    private static final class Line implements AutoCloseable {
        final Kind kind;
        final TcpFault fault;
        final Side side;
        final Side witness;
        final String key = "line-" + UUID.randomUUID();

        Line(Kind kind, Duration settleFor) throws SQLException {
            this.kind = kind;
            Place place = PLACES.of(kind);
            boolean redis = kind.mode == Mode.CLAIMED_REDIS;
            URI server = URI.create(redis ? place.redis() : place.url().substring("jdbc:".length()));
            fault = TcpFault.to(server.getHost(), server.getPort());
            String from = server.getHost() + ":" + server.getPort();
            String to = fault.host() + ":" + fault.port();
            Place broken = redis
                    ? new Place(place.mode(), place.url(), place.user(), place.password(), "redis://" + to)
                    : place.at(place.url().replace(from, to) + loginLimit(place.url()));
            side = new Side(broken, new Side.Settings(LEASE, TIMEOUT, settleFor));
            witness = new Side(place, Side.Settings.lease(LEASE));
        }

        /** How long a new connection may take is the data source's own setting. */
        private static String loginLimit(String url) {
            return url.startsWith("jdbc:postgresql") ? "?loginTimeout=5" : "?connectTimeout=5000";
        }

        Outcome<String> onceNotHeld() {
            AtomicReference<Outcome<String>> last = new AtomicReference<>();
            Await.until("no longer held", LIMIT, () -> {
                last.set(side.run(key, "again"));
                return !(last.get() instanceof Outcome.Held);
            });
            return last.get();
        }

        /** From the next call of this kind on requests arrive and replies are lost; does this before each sending again. */
        void loseRepliesAt(CrashPoint point, Runnable beforeSendingAgain) {
            side.points().at(point, () -> {
                if (kind.mode == Mode.CLAIMED_REDIS) {
                    fault.loseReplies();
                } else {
                    // Not before, else the new connection would never be one.
                    side.claims().whenConnected(fault::loseReplies);
                }
                side.points().at(point, 10_000, beforeSendingAgain);
            });
        }

        /** Replies pass again, on new connections. */
        void mend() {
            side.claims().whenConnected(() -> {});
            fault.passReplies();
            fault.reset();
        }

        @Override
        public void close() {
            side.close();
            witness.close();
            fault.close();
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {"SAME_POSTGRESQL", "SAME_MARIADB", "SAME_MARIADB_MYSQL_DRIVER", "LATE_POSTGRESQL", "LATE_MARIADB"})
    @DisplayName("G6: a commit whose reply is lost is found and answered as committed")
    void theReplyToACommitIsLost(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofSeconds(20))) {
            line.side.watch().beforeCommit(line.fault::loseReplies);
            line.side.watch().whenCommitFails(line::mend);
            assertThat(line.side.run(line.key, "done")).isEqualTo(new Outcome.Executed<>("done"));
            assertThat(line.side.run(line.key, "again")).isEqualTo(new Outcome.Replayed<>("done"));
            assertThat(line.witness.see(line.key)).isEqualTo(new Seen(1, 1, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SAME_POSTGRESQL", "SAME_MARIADB", "SAME_MARIADB_MYSQL_DRIVER", "LATE_POSTGRESQL"})
    @DisplayName("G6: a commit that was cut off before it arrived is found and answered as rolled back")
    void theLineIsCutBeforeACommit(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofSeconds(20))) {
            line.side.watch().beforeCommit(line.fault::reset);
            assertThatThrownBy(() -> line.side.run(line.key, "lost"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("rolled back");
            assertThat(line.witness.see(line.key)).isEqualTo(new Seen(0, 0, 0));
            line.side.watch().beforeCommit(() -> {});
            assertThat(line.side.run(line.key, "again")).isEqualTo(new Outcome.Executed<>("again"));
            assertThat(line.witness.see(line.key)).isEqualTo(new Seen(1, 1, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SAME_POSTGRESQL", "SAME_MARIADB"})
    @DisplayName("G6: a commit on a frozen line is not answered, and right once the line is back")
    void theLineIsFrozenDuringACommit(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofMillis(500))) {
            line.side.watch().beforeCommit(line.fault::freeze);
            assertThatThrownBy(() -> line.side.run(line.key, "frozen")).isInstanceOf(OutcomeNotRecordedException.class);
            line.side.watch().beforeCommit(() -> {});
            line.fault.unfreeze();
            Outcome<String> outcome = line.onceNotHeld();
            assertThat(outcome).isIn(new Outcome.Replayed<>("frozen"), new Outcome.Executed<>("again"));
            assertThat(line.witness.see(line.key)).isEqualTo(new Seen(1, 1, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED_REDIS", "CLAIMED_POSTGRESQL", "CLAIMED_MARIADB"})
    @DisplayName("G8: a settling whose reply is lost is sent again and done twice as once")
    void theReplyToASettlingIsLost(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofSeconds(30))) {
            Await.until("the line is up", LIMIT, () -> line.side.run("up-" + UUID.randomUUID(), "up") != null);
            AtomicBoolean mended = new AtomicBoolean();
            line.loseRepliesAt(CrashPoint.BEFORE_SETTLE, () -> {
                boolean arrived = line.witness.record(line.key).orElseThrow().state() == RecordState.SUCCEEDED;
                if (arrived && mended.compareAndSet(false, true)) {
                    line.mend();
                }
            });
            assertThat(line.side.run(line.key, "done")).isEqualTo(new Outcome.Executed<>("done"));
            assertThat(mended).isTrue();
            assertThat(line.witness.run(line.key, "again")).isEqualTo(new Outcome.Replayed<>("done"));
            assertThat(line.witness.see(line.key).first()).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED_REDIS", "CLAIMED_POSTGRESQL", "CLAIMED_MARIADB"})
    @DisplayName("G1: a claim whose reply is lost is sent again and finds itself, or is left to its lease")
    void theReplyToAClaimIsLost(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofSeconds(30))) {
            Await.until("the line is up", LIMIT, () -> line.side.run("up-" + UUID.randomUUID(), "up") != null);
            line.loseRepliesAt(CrashPoint.BEFORE_CLAIM, line::mend);
            Outcome<String> outcome;
            try {
                outcome = line.side.run(line.key, "done");
            } catch (StoreUnavailableException e) {
                // The second sending met the line before it was up again: nothing ran, and a claim that arrived is
                // held.
                assertThat(line.witness.see(line.key).first()).isZero();
                assertThat(line.witness.run(line.key, "again"))
                        .isInstanceOfAny(Outcome.Held.class, Outcome.Executed.class);
                return;
            }
            assertThat(outcome).isEqualTo(new Outcome.Executed<>("done"));
            assertThat(line.witness.see(line.key).first()).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED_REDIS", "CLAIMED_POSTGRESQL", "CLAIMED_MARIADB"})
    @DisplayName("C88, G9: a line that is down before, while or after the business runs")
    void theLineIsDown(Kind kind) throws SQLException {
        try (Line line = new Line(kind, Duration.ofMillis(500))) {
            line.fault.down();
            assertThatThrownBy(() -> line.side.run(line.key, "never")).isInstanceOf(StoreUnavailableException.class);
            assertThat(line.witness.see(line.key).first()).isZero();
            line.fault.up();
            Await.until("the line is back", LIMIT, () -> line.side.run("up-" + UUID.randomUUID(), "up") != null);

            assertThatThrownBy(() -> line.side.run(line.key, "done", line.fault::down))
                    .as("the effect of claimed Redis is not behind the line")
                    .isInstanceOf(
                            kind.mode == Mode.CLAIMED_REDIS ? OutcomeNotRecordedException.class : SQLException.class);
            if (kind.mode == Mode.CLAIMED_REDIS) {
                assertThat(line.witness.run(line.key, "again")).isInstanceOf(Outcome.Held.class);
                line.fault.up();
                // The outcome is sent on in the background: no second run.
                Await.until(
                        "the outcome is recorded late",
                        LIMIT,
                        () -> line.witness.run(line.key, "again").equals(new Outcome.Replayed<>("done")));
                assertThat(line.witness.see(line.key).first()).isOne();
            } else {
                line.fault.up();
                assertThat(line.witness.see(line.key).first()).isZero();
            }
        }
    }
}
