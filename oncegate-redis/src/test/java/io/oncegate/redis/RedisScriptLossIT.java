package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisCluster;
import io.oncegate.testsupport.RedisSentinels;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C21: scripts are gone after a flush, a restart, a fail-over and on another node")
class RedisScriptLossIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final Handles handles = new Handles();

    /** What an event is survived with: each operation has a record or a lock of its own, taken before. */
    private static final class Prepared {
        final Intent renewed = Intent.fresh();
        final Intent settled = Intent.fresh();
        final Intent released = Intent.fresh();
        final Intent forgotten = Intent.fresh();
        final ClaimRef toRenew;
        final ClaimRef toSettle;
        final ClaimRef toRelease;
        final Lock lock = Lock.fresh();
        final ClaimRef renewedLock;
        final ClaimRef endedLock;
        final ClaimRef passedLock;

        Prepared(RecordStore store, LockStore locks) {
            renewedLock = lock.grantedAt(locks);
            endedLock = Lock.fresh().grantedAt(locks);
            passedLock = Lock.fresh().grantedAt(locks);
            toRenew = renewed.grantedAt(store);
            toSettle = settled.grantedAt(store);
            toRelease = released.grantedAt(store);
            store.settle(forgotten.grantedAt(store), Intent.success("old"));
        }
    }

    private static void warm(RedisRecordStore store, RedisLockStore locks) {
        Prepared all = new Prepared(store, locks);
        everyOperationWorks(store, locks, all, () -> {});
    }

    /** Every operation, each for the first time after the event. */
    private static void everyOperationWorks(
            RedisRecordStore store, RedisLockStore locks, Prepared all, Runnable event) {
        event.run();
        assertThat(locks.end(all.endedLock, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
        event.run();
        LockRequest next = LockRequest.of(all.passedLock.id(), Lock.OPERATION, Lock.LEASE, null);
        assertThat(locks.pass(all.passedLock, next)).isPresent();
        event.run();
        assertThat(all.lock.askedAt(locks)).isInstanceOf(LockAnswer.Held.class);
        event.run();
        assertThat(locks.renew(all.renewedLock, Lock.LEASE)).isEqualTo(HolderAnswer.DONE);
        event.run();
        assertThat(store.renew(all.toRenew, Intent.LEASE)).isEqualTo(HolderAnswer.DONE);
        event.run();
        assertThat(store.settle(all.toSettle, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
        event.run();
        assertThat(store.release(all.toRelease)).isEqualTo(HolderAnswer.DONE);
        event.run();
        assertThat(store.forget(all.forgotten.id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        event.run();
        assertThat(store.find(all.settled.id())).isPresent();
        event.run();
        assertThat(all.settled.askedAt(store)).isEqualTo(Intent.replayOf("r"));
        event.run();
        assertThat(all.released.askedAt(store)).isInstanceOf(ClaimAnswer.Granted.class);
        event.run();
        assertThat(store.browse(new Query(null, null, 1000, null)).entries()).isNotEmpty();
    }

    @Test
    void everyOperationSurvivesAFlush() {
        RedisServer server = RedisServers.standalone();
        RedisBackend redis = handles.backend(server.uri(), Handles.OPTIONS);
        RedisRecordStore store = new RedisRecordStore(redis);
        RedisLockStore locks = new RedisLockStore(redis);
        warm(store, locks);
        everyOperationWorks(store, locks, new Prepared(store, locks), () -> {
            try {
                assertThat(server.send("SCRIPT FLUSH")).isEqualTo("OK");
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    @Test
    void everyOperationSurvivesARestart() {
        try (RedisServer server = RedisServers.ownDurable()) {
            RedisBackend redis = handles.backend(server.uri(), Handles.OPTIONS);
            RedisRecordStore store = new RedisRecordStore(redis);
            RedisLockStore locks = new RedisLockStore(redis);
            warm(store, locks);
            Prepared all = new Prepared(store, locks);
            server.kill();
            server.start();
            Await.until(
                    "connected again",
                    PATIENCE,
                    () -> store.find(Intent.fresh().id()).isEmpty());
            everyOperationWorks(store, locks, all, () -> {});
        }
    }

    @Test
    void everyOperationSurvivesAFailOverBySentinel() throws IOException {
        try (RedisSentinels sentinels = RedisServers.ownSentinel()) {
            RedisBackend redis = handles.backend(sentinels.uri(), Handles.OPTIONS);
            RedisRecordStore store = new RedisRecordStore(redis);
            RedisLockStore locks = new RedisLockStore(redis);
            warm(store, locks);
            Prepared all = new Prepared(store, locks);
            awaitReplicas(sentinels.master(), sentinels.replicas());
            int before = sentinels.masterPortNow();
            sentinels.master().kill();
            Await.until("another master", PATIENCE, () -> sentinels.masterPortNow() != before);
            Await.until(
                    "connected to it",
                    PATIENCE,
                    () -> store.find(Intent.fresh().id()).isEmpty());
            everyOperationWorks(store, locks, all, () -> {});
        }
    }

    @Test
    void everyOperationSurvivesTheDeathOfAMasterInACluster() throws IOException {
        try (RedisCluster cluster = RedisServers.ownCluster()) {
            RedisBackend redis = handles.backend(cluster, Handles.OPTIONS);
            RedisRecordStore store = new RedisRecordStore(redis);
            RedisLockStore locks = new RedisLockStore(redis);
            warm(store, locks);
            List<Prepared> prepared = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                prepared.add(new Prepared(store, locks));
            }
            RedisServer dying = cluster.masters().get(0);
            awaitReplicas(dying, List.of(cluster.replicas().get(0)));
            dying.kill();
            RedisServer heir = cluster.replicas().get(0);
            Await.until(
                    "promoted",
                    PATIENCE,
                    () -> heir.send("ROLE").startsWith("3")
                            && heir.send("INFO replication").contains("role:master"));
            Await.until("all slots answer", PATIENCE, () -> {
                for (int i = 0; i < 50; i++) {
                    store.find(Intent.fresh().id());
                }
                return true;
            });
            prepared.forEach(all -> everyOperationWorks(store, locks, all, () -> {}));
        }
    }

    @Test
    void theSameAttemptIsGrantedOnceAlthoughTheScriptIsSentTwice() throws IOException {
        RedisServer server = RedisServers.standalone();
        RedisRecordStore store = handles.store(server.uri());
        server.send("SCRIPT FLUSH");
        Intent intent = Intent.fresh();
        AttemptId attempt = AttemptId.random();
        ClaimAnswer first = store.claim(intent.request(attempt));
        server.send("SCRIPT FLUSH");
        assertThat(store.claim(intent.request(attempt))).isEqualTo(first);
    }

    private static void awaitReplicas(RedisServer master, List<RedisServer> replicas) throws IOException {
        for (RedisServer replica : replicas) {
            Await.until(
                    "replica is up to date",
                    PATIENCE,
                    () -> offset(master, "master_repl_offset").equals(offset(replica, "slave_repl_offset")));
        }
    }

    private static String offset(RedisServer server, String field) throws IOException {
        return server.send("INFO replication")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).trim())
                .findFirst()
                .orElseThrow();
    }
}
