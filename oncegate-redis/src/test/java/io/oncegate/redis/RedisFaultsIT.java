package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisCluster;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("C88: Redis is down, slow or cut off")
class RedisFaultsIT {
    private static final Duration TIMEOUT = Duration.ofMillis(400);
    private static final Duration BOUND = Duration.ofSeconds(8);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RedisOptions OPTIONS = RedisOptions.defaults().withTimeout(TIMEOUT);

    @AutoClose
    private final RedisServer server = RedisServers.ownDurable();

    @AutoClose
    private final TcpFault line = TcpFault.to(server);

    @AutoClose
    private final Handles handles = new Handles();

    /** Gives up soon. */
    private RedisRecordStore store;

    /** On the same line, for what has to be answered. */
    private RedisRecordStore patient;

    private RedisRecordStore direct;

    @BeforeEach
    void connect() {
        store = onLine(DisconnectedBehavior.REJECT_COMMANDS);
        patient = handles.store(RedisURI.create(line.host(), line.port()));
        direct = handles.store(server.uri());
        connected(Intent.fresh().id(), false);
        ClaimRef claim = Intent.fresh().grantedAt(direct);
        direct.renew(claim, Intent.LEASE);
        direct.settle(claim, Intent.success("warm"));
        direct.release(claim);
    }

    private RedisRecordStore onLine(DisconnectedBehavior disconnected) {
        RedisURI uri = RedisURI.create(line.host(), line.port());
        RedisClient client = handles.client(uri, disconnected);
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        return new RedisRecordStore(RedisBackend.of(connection, OPTIONS));
    }

    /** Waits until both ways through the line are open. */
    private void connected(RecordId id, boolean present) {
        Await.until(
                "connected",
                PATIENCE,
                () -> store.find(id).isPresent() == present && patient.find(id).isPresent() == present);
    }

    @ParameterizedTest
    @EnumSource(DisconnectedBehavior.class)
    void stoppedBeforeEachCallAndRightAgainAfterwards(DisconnectedBehavior disconnected) {
        RedisRecordStore through = onLine(disconnected);
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(patient);
        server.kill();
        line.reset();
        everyCallFails(through, claim);
        server.start();
        Await.until("connected again", PATIENCE, () -> through.find(claim.id()).isPresent());
        connected(claim.id(), true);
        assertThat(intent.askedAt(patient)).isInstanceOf(ClaimAnswer.Held.class);
        Await.until("settled", PATIENCE, () -> through.settle(claim, Intent.success("r")) == HolderAnswer.DONE);
        assertThat(intent.askedAt(patient)).isEqualTo(Intent.replayOf("r"));
    }

    @Test
    void aFrozenLineEndsEachCallAtItsBound() {
        ClaimRef claim = Intent.fresh().grantedAt(direct);
        line.freeze();
        everyCallFails(store, claim);
        line.unfreeze();
        Await.until("answers again", PATIENCE, () -> store.find(claim.id()).isPresent());
    }

    private static void everyCallFails(RedisRecordStore broken, ClaimRef claim) {
        fails(() -> Intent.fresh().askedAt(broken));
        fails(() -> broken.renew(claim, Intent.LEASE));
        fails(() -> broken.settle(claim, Intent.success("lost")));
        fails(() -> broken.release(new ClaimRef(claim.id(), claim.fence(), AttemptId.random())));
        fails(() -> broken.find(claim.id()));
        fails(() -> broken.browse(new Query(null, null, 10, null)));
        fails(() -> broken.forget(Intent.fresh().id()));
    }

    private static void fails(ThrowingCallable call) {
        long start = System.nanoTime();
        Throwable thrown = catchThrowable(call);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
        assertThat(thrown).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("redis:oncegate");
    }

    @Test
    void aClaimThatWasAppliedAndTimedOutIsFoundAgainByItsAttempt() {
        Intent intent = Intent.fresh();
        AttemptId attempt = AttemptId.random();
        line.loseReplies();
        fails(() -> store.claim(intent.request(attempt)));
        Await.until(
                "it has come through", PATIENCE, () -> direct.find(intent.id()).isPresent());
        assertThat(intent.askedAt(direct)).as("it was applied").isInstanceOf(ClaimAnswer.Held.class);
        line.passReplies();
        line.reset();
        connected(intent.id(), true);
        ClaimRef claim = intent.ref(patient.claim(intent.request(attempt)), attempt);
        assertThat(patient.settle(claim, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    void aSettleThatWasAppliedAndTimedOutIsAnsweredAsDoneAndNeverRunsAgain() {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(patient);
        line.loseReplies();
        fails(() -> store.settle(claim, Intent.success("r")));
        Await.until(
                "it has come through", PATIENCE, () -> intent.askedAt(direct).equals(Intent.replayOf("r")));
        line.passReplies();
        line.reset();
        connected(intent.id(), true);
        assertThat(patient.settle(claim, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
        assertThat(patient.settle(claim, Intent.success("other"))).isEqualTo(HolderAnswer.SETTLED);
        assertThat(patient.release(claim)).isEqualTo(HolderAnswer.SETTLED);
    }

    @Test
    void aServerThatDiesBetweenClaimAndSettleKeepsTheClaimAndLosesNothing() {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(patient);
        server.kill();
        fails(() -> store.settle(claim, Intent.success("r")));
        server.start();
        connected(intent.id(), true);
        assertThat(intent.askedAt(patient)).isInstanceOf(ClaimAnswer.Held.class);
        assertThat(patient.settle(claim, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    void aCommandThatWaitedForAConnectionIsNotSentOnceItsCallHasEnded() {
        RedisRecordStore queueing = onLine(DisconnectedBehavior.ACCEPT_COMMANDS);
        Intent intent = Intent.fresh();
        Await.until("connected", PATIENCE, () -> queueing.find(intent.id()).isEmpty());
        line.down();
        fails(() -> intent.askedAt(queueing));
        line.up();
        Await.until(
                "connected again", PATIENCE, () -> queueing.find(intent.id()).isEmpty());
        assertThat(direct.find(intent.id())).isEmpty();
    }

    @Test
    void aSlowServerEndsTheCallAtItsBound() throws Exception {
        server.send("DEBUG SLEEP 0");
        AtomicBoolean seen = new AtomicBoolean();
        Thread sleeper = new Thread(() -> {
            try {
                while (!seen.get()) {
                    server.send("DEBUG SLEEP 1.5");
                }
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        sleeper.start();
        Await.until(
                "slow",
                PATIENCE,
                () -> catchThrowable(() -> store.find(Intent.fresh().id())) != null);
        seen.set(true);
        sleeper.join();
        Await.until(
                "fast again", PATIENCE, () -> store.find(Intent.fresh().id()).isEmpty());
    }

    @Test
    void anInterruptedCallEndsAtOnceWithTheFlagSet() {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(patient);
        List<ThrowingCallable> calls = List.of(
                () -> intent.askedAt(store),
                () -> store.renew(claim, Intent.LEASE),
                () -> store.settle(claim, Intent.success("r")),
                () -> store.release(claim));
        for (ThrowingCallable call : calls) {
            Thread.currentThread().interrupt();
            Throwable thrown = catchThrowable(call);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(thrown).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("interrupted");
        }
    }

    @Test
    void aCallThatIsInterruptedWhileItWaitsEndsAtOnceWithTheFlagSet() {
        line.freeze();
        Thread caller = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            Await.until("waiting", PATIENCE, () -> caller.getState() == Thread.State.TIMED_WAITING);
            caller.interrupt();
        });
        interrupter.start();
        fails(() -> Intent.fresh().askedAt(patient));
        assertThat(Thread.interrupted()).isTrue();
        line.unfreeze();
    }

    @Test
    void aRedisThatIsDownAtTheStartIsUsedOnceItIsThere() {
        server.kill();
        RedisBackend backend = handles.backend(server.uri(), OPTIONS);
        RedisRecordStore early = new RedisRecordStore(backend);
        fails(() -> Intent.fresh().askedAt(early));
        fails(() -> Intent.fresh().askedAt(early));
        server.start();
        Await.until("there", PATIENCE, () -> Intent.fresh().askedAt(early) instanceof ClaimAnswer.Granted);
        backend.close();
        fails(() -> Intent.fresh().askedAt(early));
    }

    @Test
    void aClientThatWasShutDownIsATypedFailure() {
        RedisClient client = handles.client(server.uri());
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        RedisRecordStore given = new RedisRecordStore(RedisBackend.of(connection, OPTIONS));
        client.shutdown();
        fails(() -> Intent.fresh().askedAt(given));
    }

    @Test
    void aClusterIsConnectedByTheFirstCall() {
        RedisCluster cluster = RedisServers.cluster();
        RedisClusterClient client = handles.client(cluster);
        try (RedisBackend backend = RedisBackend.connecting(client, Handles.OPTIONS)) {
            RecordStore lazy = new RedisRecordStore(backend);
            Intent.fresh().grantedAt(lazy);
        }
    }

    @Test
    void aClusterThatIsDownAtTheStartFailsInBoundedTime() {
        RedisClusterClient client = handles.clusterClient(List.of(RedisURI.create(line.host(), line.port())));
        line.down();
        RecordStore lazy = new RedisRecordStore(RedisBackend.connecting(client, OPTIONS));
        fails(() -> Intent.fresh().askedAt(lazy));
        fails(() -> Intent.fresh().askedAt(lazy));
    }
}
