package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testkit.FaultyRecordStore;
import io.oncegate.testkit.FaultyRecordStore.Method;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The line to Redis breaks before, between and after the steps of the ladder, in front of a real database. */
@ParameterizedClass
@EnumSource(names = "POSTGRESQL")
class LadderLineIT extends OnEachDatabase {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Operation<String> OPERATION =
            text().lease(Duration.ofSeconds(2)).build();

    private final RedisServer server = RedisServers.own();
    private final TcpFault line = TcpFault.to(server);
    private final RedisClient client = RedisClient.create();
    private final RedisBackend redis = RedisBackend.connecting(
            client,
            RedisURI.create(line.host(), line.port()),
            RedisOptions.defaults().withTimeout(Duration.ofMillis(300)));
    private final RedisRecordStore records = new RedisRecordStore(redis);
    private final FaultyRecordStore counted = new FaultyRecordStore(records);
    private final Oncegate ladder = scene.ladder(counted, () -> null).build();

    LadderLineIT(Databases kind) {
        super(kind);
    }

    @AfterEach
    void close() {
        ladder.close();
        redis.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        line.close();
        server.close();
    }

    /** What happens to the line. */
    enum Fault {
        FROZEN {
            @Override
            void begin(TcpFault line) {
                line.freeze();
            }

            @Override
            void end(TcpFault line) {
                line.unfreeze();
            }
        },
        RESET {
            @Override
            void begin(TcpFault line) {
                line.reset();
            }
        },
        DOWN {
            @Override
            void begin(TcpFault line) {
                line.down();
            }

            @Override
            void end(TcpFault line) {
                line.up();
            }
        },
        DEAF {
            @Override
            void begin(TcpFault line) {
                line.loseReplies();
            }

            @Override
            void end(TcpFault line) {
                line.passReplies();
                line.reset();
            }
        };

        abstract void begin(TcpFault line);

        void end(TcpFault line) {}
    }

    /** When it happens. */
    enum Moment {
        BEFORE_THE_CLAIM,
        IN_THE_BUSINESS,
        BEFORE_THE_COMMIT,
        AFTER_THE_COMMIT
    }

    /** Those of all combinations that take the ways which differ. */
    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(Fault.FROZEN, Moment.BEFORE_THE_CLAIM),
                Arguments.of(Fault.FROZEN, Moment.BEFORE_THE_COMMIT),
                Arguments.of(Fault.RESET, Moment.IN_THE_BUSINESS),
                Arguments.of(Fault.DOWN, Moment.BEFORE_THE_COMMIT),
                Arguments.of(Fault.DEAF, Moment.BEFORE_THE_CLAIM),
                Arguments.of(Fault.DEAF, Moment.AFTER_THE_COMMIT));
    }

    private Outcome<String> send(Call<String> call, String value) throws SQLException {
        return ladder.run(call, scene.effect(call.key().value(), value));
    }

    private RecordState inRedis(Call<?> call) {
        return records.find(call.key().id()).map(Entry::state).orElse(RecordState.FREE);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("faults")
    @DisplayName(
            "C23: one effect, one answer, no more than one question asked again, and Redis answers again afterwards")
    void theLineBreaks(Fault fault, Moment moment) throws Exception {
        send(call(OPERATION, newKey()), "connected");
        Call<String> call = call(OPERATION, newKey());
        if (moment == Moment.BEFORE_THE_CLAIM) {
            fault.begin(line);
        }
        int before = asked();
        scene.watch.beforeCommit(once(moment == Moment.BEFORE_THE_COMMIT, () -> fault.begin(line)));
        scene.watch.afterCommit(once(moment == Moment.AFTER_THE_COMMIT, () -> fault.begin(line)));
        Outcome<String> first = ladder.run(call, claim -> {
            if (moment == Moment.IN_THE_BUSINESS) {
                fault.begin(line);
            }
            return scene.effect(call.key().value(), "first").run(claim);
        });
        assertThat(first).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(asked() - before)
                .as("a claim, a settling, and one of them again")
                .isLessThanOrEqualTo(3);
        Await.until(
                "the judge answers, or the claim that was left in Redis is over",
                PATIENCE,
                () -> send(call, "again").equals(new Outcome.Replayed<>("first")));
        fault.end(line);
        Await.until("Redis is refilled", PATIENCE, () -> {
            Outcome<String> again = send(call, "again");
            assertThat(again).isIn(new Outcome.Replayed<>("first"), new Outcome.Held<>(call.key(), held(again)));
            return inRedis(call) == RecordState.SUCCEEDED;
        });
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    private static Duration held(Outcome<?> outcome) {
        return outcome instanceof Outcome.Held<?> held ? held.retryAfter() : Duration.ofSeconds(1);
    }

    private int asked() {
        return counted.calls(Method.CLAIM) + counted.calls(Method.SETTLE) + counted.calls(Method.RELEASE);
    }

    private static Runnable once(boolean wanted, Runnable action) {
        AtomicInteger left = new AtomicInteger(wanted ? 1 : 0);
        return () -> {
            if (left.getAndDecrement() > 0) {
                action.run();
            }
        };
    }
}
