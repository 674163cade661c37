package io.oncegate.boot;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Says in Lettuce's words which Redis a connection factory of Spring Data speaks to. */
final class RedisUris {
    private RedisUris() {}

    static RedisURI of(LettuceConnectionFactory factory) {
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        return sentinel == null ? standalone(factory) : sentinel(factory, sentinel);
    }

    private static RedisURI standalone(LettuceConnectionFactory factory) {
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        RedisURI uri = RedisURI.create(server.getHostName(), server.getPort());
        login(uri, server.getUsername(), server.getPassword());
        settings(uri, factory, server.getDatabase());
        return uri;
    }

    private static RedisURI sentinel(LettuceConnectionFactory factory, RedisSentinelConfiguration sentinel) {
        RedisURI uri = new RedisURI();
        uri.setTimeout(RedisURI.DEFAULT_TIMEOUT_DURATION);
        uri.setSentinelMasterId(Objects.requireNonNull(sentinel.getMaster(), "a Sentinel configuration names no master")
                .getName());
        for (RedisNode node : sentinel.getSentinels()) {
            RedisURI one = RedisURI.create(node.getHost(), node.getPortOr(RedisNode.DEFAULT_SENTINEL_PORT));
            login(one, sentinel.getSentinelUsername(), sentinel.getSentinelPassword());
            encryption(one, factory);
            uri.getSentinels().add(one);
        }
        login(uri, sentinel.getUsername(), sentinel.getPassword());
        settings(uri, factory, sentinel.getDatabase());
        return uri;
    }

    private static void settings(RedisURI uri, LettuceConnectionFactory factory, int database) {
        uri.setDatabase(database);
        uri.setTimeout(Duration.ofMillis(factory.getTimeout()));
        encryption(uri, factory);
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
