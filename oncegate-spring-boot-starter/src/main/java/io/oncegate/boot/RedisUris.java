package io.oncegate.boot;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** Says in Lettuce's words which Redis a connection factory of Spring Data speaks to. */
final class RedisUris {
    private RedisUris() {}

    static RedisURI of(LettuceConnectionFactory factory) {
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            return sentinel(factory, sentinel);
        }
        RedisSocketConfiguration socket = factory.getSocketConfiguration();
        if (socket != null) {
            return settings(
                    RedisURI.Builder.socket(socket.getSocket()).build(), factory, socket, factory.getDatabase());
        }
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        RedisURI uri = RedisURI.create(server.getHostName(), server.getPort());
        return settings(uri, factory, server, server.getDatabase());
    }

    /** The nodes that a cluster is found by. */
    static List<RedisURI> cluster(LettuceConnectionFactory factory) {
        RedisClusterConfiguration cluster =
                Objects.requireNonNull(factory.getClusterConfiguration(), "a cluster has a configuration");
        List<RedisURI> nodes = new ArrayList<>();
        for (RedisNode node : cluster.getClusterNodes()) {
            RedisURI uri = RedisURI.create(node.getRequiredHost(), node.getRequiredPort());
            nodes.add(settings(uri, factory, cluster, 0));
        }
        return nodes;
    }

    private static RedisURI sentinel(LettuceConnectionFactory factory, RedisSentinelConfiguration sentinel) {
        RedisURI uri = new RedisURI();
        uri.setSentinelMasterId(Objects.requireNonNull(sentinel.getMaster(), "a Sentinel configuration names no master")
                .getName());
        for (RedisNode node : sentinel.getSentinels()) {
            RedisURI one = RedisURI.create(node.getHost(), node.getPortOr(RedisNode.DEFAULT_SENTINEL_PORT));
            login(one, sentinel.getSentinelUsername(), sentinel.getSentinelPassword());
            providers(factory)
                    .ifPresent(provider ->
                            one.setCredentialsProvider(provider.createSentinelCredentialsProvider(sentinel)));
            encryption(one, factory);
            uri.getSentinels().add(one);
        }
        return settings(uri, factory, sentinel, sentinel.getDatabase());
    }

    private static <C extends RedisConfiguration & RedisConfiguration.WithAuthentication> RedisURI settings(
            RedisURI uri, LettuceConnectionFactory factory, C server, int database) {
        login(uri, server.getUsername(), server.getPassword());
        providers(factory)
                .map(provider -> provider.createCredentialsProvider(server))
                .ifPresent(uri::setCredentialsProvider);
        factory.getClientConfiguration().getClientName().ifPresent(uri::setClientName);
        uri.setDatabase(database);
        uri.setTimeout(Duration.ofMillis(factory.getTimeout()));
        encryption(uri, factory);
        return uri;
    }

    private static Optional<RedisCredentialsProviderFactory> providers(LettuceConnectionFactory factory) {
        return factory.getClientConfiguration().getRedisCredentialsProviderFactory();
    }

    private static void encryption(RedisURI uri, LettuceConnectionFactory factory) {
        uri.setSsl(factory.isUseSsl());
        uri.setVerifyPeer(factory.getClientConfiguration().getVerifyMode());
        uri.setStartTls(factory.isStartTls());
    }

    private static void login(RedisURI uri, @Nullable String user, RedisPassword password) {
        if (password.isPresent()) {
            uri.setCredentialsProvider(
                    RedisCredentialsProvider.from(() -> RedisCredentials.just(user, password.get())));
        }
    }
}
