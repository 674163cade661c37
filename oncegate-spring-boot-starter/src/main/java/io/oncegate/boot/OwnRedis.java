package io.oncegate.boot;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redis client of our own, with the options that {@link RedisBackend} recommends. Closes what it has opened. */
final class OwnRedis implements AutoCloseable {
    private final @Nullable ClientResources resources;
    private final AbstractRedisClient client;
    private final RedisBackend backend;

    /**
     * Takes over what it will close.
     *
     * @param resources null where somebody else closes them
     */
    OwnRedis(@Nullable ClientResources resources, AbstractRedisClient client, RedisBackend backend) {
        this.resources = resources;
        this.client = client;
        this.backend = backend;
    }

    static OwnRedis at(String uris, boolean cluster, RedisOptions options) {
        List<RedisURI> nodes = Arrays.stream(uris.split(",", -1))
                .map(String::trim)
                .map(OwnRedis::parsed)
                .toList();
        // Back within a second of Redis's return, not within the half minute of the default.
        ClientResources resources = ClientResources.builder()
                .reconnectDelay(
                        Delay.exponential(Duration.ofMillis(50), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS))
                .build();
        if (cluster || nodes.size() > 1) {
            RedisClusterClient client = RedisClusterClient.create(resources, nodes);
            client.setOptions(clusterOptions());
            return new OwnRedis(resources, client, RedisBackend.connecting(client, options));
        }
        RedisClient client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socket())
                .build());
        return new OwnRedis(resources, client, RedisBackend.connecting(client, nodes.get(0), options));
    }

    private static RedisURI parsed(String uri) {
        try {
            return RedisURI.create(uri);
        } catch (IllegalArgumentException e) {
            // without the address: it may hold a password
            throw new IllegalArgumentException(
                    "oncegate.redis.uri is no address of Redis; write it like redis://host:6379");
        }
    }

    private static ClusterClientOptions clusterOptions() {
        return ClusterClientOptions.builder()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(Duration.ofSeconds(10))
                        .build())
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socket())
                .build();
    }

    private static SocketOptions socket() {
        return SocketOptions.builder()
                .connectTimeout(Duration.ofSeconds(1))
                .keepAlive(true)
                .build();
    }

    RedisBackend backend() {
        return backend;
    }

    @Override
    public void close() {
        backend.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        if (resources != null) {
            resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
        }
    }
}
