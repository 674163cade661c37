package io.oncegate.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockStore;
import io.oncegate.testsupport.RedisCluster;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Opens what tests need, with the client options that {@link RedisBackend} recommends, and closes all of it. */
final class Handles implements AutoCloseable {
    /** Patient: a busy machine must not fail a test that is not about time. */
    static final RedisOptions OPTIONS = RedisOptions.defaults().withTimeout(Duration.ofSeconds(20));

    private static final SocketOptions SOCKET =
            SocketOptions.builder().connectTimeout(Duration.ofSeconds(10)).build();

    /** For the whole test run; its threads are daemons. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(Delay.constant(Duration.ofMillis(50)))
            .build();

    private final Deque<Runnable> closers = new ArrayDeque<>();

    RedisClient client(RedisURI uri) {
        return client(uri, ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
    }

    RedisClient client(RedisURI uri, ClientOptions.DisconnectedBehavior disconnected) {
        RedisClient client = RedisClient.create(RESOURCES, uri);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(disconnected)
                .socketOptions(SOCKET)
                .build());
        closers.push(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    RedisClusterClient client(RedisCluster cluster) {
        return clusterClient(cluster.uris());
    }

    RedisClusterClient clusterClient(List<RedisURI> seeds) {
        RedisClusterClient client = RedisClusterClient.create(RESOURCES, seeds);
        client.setOptions(ClusterClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SOCKET)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(Duration.ofMillis(500))
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(200))
                        .build())
                .build());
        closers.push(() -> client.shutdown(0, 1, TimeUnit.SECONDS));
        return client;
    }

    RedisBackend backend(RedisURI uri, RedisOptions options) {
        return RedisBackend.connecting(client(uri), uri, options);
    }

    RedisBackend backend(RedisCluster cluster, RedisOptions options) {
        return RedisBackend.of(client(cluster).connect(ByteArrayCodec.INSTANCE), options);
    }

    RedisRecordStore store(RedisURI uri) {
        return new RedisRecordStore(backend(uri, OPTIONS));
    }

    RedisLockStore lockStore(RedisURI uri) {
        return new RedisLockStore(backend(uri, OPTIONS));
    }

    /** Locks as a process of its own has them. */
    LeasedLocks locks(RedisURI uri) {
        return locks(new RedisLockStore(backend(uri, OPTIONS)));
    }

    LeasedLocks locks(LockStore store, LockListener... listeners) {
        LeasedLocks.Builder builder = LeasedLocks.builder(store);
        List.of(listeners).forEach(builder::listener);
        LeasedLocks locks = builder.build();
        closers.push(locks::close);
        return locks;
    }

    RedisRecordStore store(RedisCluster cluster) {
        return new RedisRecordStore(backend(cluster, OPTIONS));
    }

    @Override
    public void close() {
        closers.forEach(Runnable::run);
    }
}
