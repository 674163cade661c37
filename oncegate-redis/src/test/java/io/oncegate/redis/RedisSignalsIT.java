package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockStore.Watch;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How those who wait hear that a lock is free. */
class RedisSignalsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private final Lock lock = Lock.fresh();
    private final AtomicInteger woken = new AtomicInteger();

    private RedisCommands<byte[], byte[]> redis;

    @BeforeEach
    void connect() {
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
    }

    private @Nullable Watch watchedAt(RedisLockStore store) {
        return store.watch(lock.id(), woken::incrementAndGet);
    }

    /** Whether a waiting asker hears of the lock's end. */
    private void hears(RedisLockStore holder) {
        ClaimRef held = lock.grantedAt(holder);
        assertThat(holder.acquire(lock.request().waiting())).isInstanceOf(LockAnswer.Held.class);
        int before = woken.get();
        assertThat(holder.end(held, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
        Await.until("woken", PATIENCE, () -> woken.get() > before);
    }

    private long subscribers() {
        Long count = redis.pubsubNumsub(lock.name()).values().iterator().next();
        return count;
    }

    @Test
    void aSubscriptionIsThereWhenWatchReturnsAndGoesWithItsLastWatcher() {
        RedisLockStore store = handles.lockStore(server.uri());
        Watch first = watchedAt(store);
        assertThat(subscribers()).isEqualTo(1);
        Watch second = watchedAt(store);
        assertThat(subscribers()).isEqualTo(1);
        first.close();
        first.close();
        hears(store);
        second.close();
        Await.until("unsubscribed", PATIENCE, () -> subscribers() == 0);
        try (Watch third = watchedAt(store)) {
            assertThat(third).isNotNull();
            assertThat(subscribers()).isEqualTo(1);
            hears(store);
        }
    }

    @Test
    void oneConnectionServesAllAndIsOpenedForTheFirstWhoWaits() throws IOException {
        RedisBackend backend = handles.backend(server.uri(), Handles.OPTIONS);
        RedisLockStore store = new RedisLockStore(backend);
        lock.askedAt(store);
        assertThat(server.send("CLIENT LIST TYPE pubsub").lines()).noneMatch(line -> line.contains("id="));
        List<Watch> watches = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            watches.add(new RedisLockStore(backend).watch(Lock.fresh().id(), () -> {}));
        }
        assertThat(watches).doesNotContainNull();
        assertThat(server.send("CLIENT LIST TYPE pubsub").lines().filter(line -> line.contains("id=")))
                .hasSize(1);
        backend.close();
        Await.until(
                "closed",
                PATIENCE,
                () -> !server.send("CLIENT LIST TYPE pubsub").contains("id="));
        assertThat(watchedAt(store)).isNull();
    }

    @Test
    void aConnectionThatWasCutIsSubscribedAgainAndWakesThoseWhoMayHaveMissedASignal() throws IOException {
        RedisLockStore store = handles.lockStore(server.uri());
        try (Watch watch = watchedAt(store)) {
            assertThat(watch).isNotNull();
            server.send("CLIENT KILL TYPE pubsub");
            Await.until("woken for what was missed", PATIENCE, () -> woken.get() >= 1);
            assertThat(subscribers()).isEqualTo(1);
            hears(store);
        }
        Await.until("unsubscribed", PATIENCE, () -> subscribers() == 0);
    }

    @Test
    void aWatchThatWasClosedWhileTheLineWasDownIsUnsubscribedLater() {
        try (TcpFault line = TcpFault.to(server)) {
            RedisLockStore store = handles.lockStore(RedisURI.create(line.host(), line.port()));
            Watch watch = watchedAt(store);
            assertThat(subscribers()).isEqualTo(1);
            line.down();
            Await.until("cut", PATIENCE, () -> subscribers() == 0);
            watch.close();
            line.up();
            Lock other = Lock.fresh();
            Await.until("back", PATIENCE, () -> {
                Watch again = store.watch(other.id(), () -> {});
                return again != null;
            });
            Await.until("unsubscribed", PATIENCE, () -> subscribers() == 0);
        }
    }

    @Test
    void givenConnectionsHaveSignalsIfOneIsGivenForThem() {
        RedisClient client = handles.client(server.uri());
        RedisLockStore without =
                new RedisLockStore(RedisBackend.of(client.connect(ByteArrayCodec.INSTANCE), Handles.OPTIONS));
        assertThat(watchedAt(without)).isNull();
        StatefulRedisPubSubConnection<byte[], byte[]> signals = client.connectPubSub(ByteArrayCodec.INSTANCE);
        RedisBackend backend = RedisBackend.of(client.connect(ByteArrayCodec.INSTANCE), signals, Handles.OPTIONS);
        RedisLockStore with = new RedisLockStore(backend);
        assertThat(watchedAt(with)).isNotNull();
        hears(without);
        backend.close();
        assertThat(watchedAt(with)).isNull();
        assertThat(signals.isOpen()).as("its owner closes it").isTrue();
    }

    @Test
    void thereAreNoneWhileTheServerIsDownOrTheLineIsFrozen() {
        RedisOptions impatient = Handles.OPTIONS.withTimeout(Duration.ofMillis(300));
        try (TcpFault line = TcpFault.to(server)) {
            RedisLockStore store =
                    new RedisLockStore(handles.backend(RedisURI.create(line.host(), line.port()), impatient));
            line.down();
            assertThat(watchedAt(store)).isNull();
            line.up();
            Await.until("signals", PATIENCE, () -> watchedAt(store) != null);
            line.freeze();
            assertThat(store.watch(Lock.fresh().id(), () -> {})).isNull();
            line.unfreeze();
            Await.until(
                    "signals again", PATIENCE, () -> store.watch(Lock.fresh().id(), () -> {}) != null);
        }
    }

    @Test
    void anInterruptedWatchIsNoneAndKeepsTheFlag() {
        RedisLockStore store = handles.lockStore(server.uri());
        Thread.currentThread().interrupt();
        Watch watch = watchedAt(store);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(watch).isNull();
        assertThat(watchedAt(store)).as("and none the worse for it").isNotNull();
    }

    @Test
    void aFailingWaiterHurtsNobodyElse() {
        RedisLockStore store = handles.lockStore(server.uri());
        assertThat(store.watch(lock.id(), () -> {
                    throw new IllegalStateException("a waiter that fails");
                }))
                .isNotNull();
        assertThat(watchedAt(store)).isNotNull();
        hears(store);
        hears(store);
    }

    @Test
    void aUserWhoMayNotPublishEndsItsLocksAllTheSame() throws IOException {
        server.send("ACL SETUSER mute on >secret ~* +@all resetchannels");
        RedisURI uri = RedisURI.builder(server.uri())
                .withAuthentication("mute", "secret".toCharArray())
                .build();
        RedisLockStore mute = handles.lockStore(uri);
        ClaimRef held = lock.grantedAt(mute);
        assertThat(mute.acquire(lock.request().waiting())).isInstanceOf(LockAnswer.Held.class);
        assertThat(mute.end(held, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
        assertThat(watchedAt(mute)).isNull();
        assertThat(lock.isFreeAt(mute)).isTrue();
    }

    @Test
    void inAClusterEveryNodesLocksAreHeard() {
        RedisLockStore holder =
                new RedisLockStore(RedisBackend.connecting(handles.client(RedisServers.cluster()), Handles.OPTIONS));
        RedisLockStore waiter =
                new RedisLockStore(RedisBackend.connecting(handles.client(RedisServers.cluster()), Handles.OPTIONS));
        for (int i = 0; i < 20; i++) {
            Lock each = Lock.fresh();
            AtomicInteger heard = new AtomicInteger();
            ClaimRef held = each.grantedAt(holder);
            try (Watch watch = waiter.watch(each.id(), heard::incrementAndGet)) {
                assertThat(watch).isNotNull();
                waiter.acquire(each.request().waiting());
                holder.end(held, LockEnd.released());
                Await.until("heard", PATIENCE, () -> heard.get() > 0);
            }
        }
    }
}
