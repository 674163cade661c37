package io.oncegate.shop.gate;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.oncegate.redis.EvictionPolicy;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Redis of the HTTP gate and of the one-time tokens: the one that {@code shop.redis.uri} names, else an embedded one. */
@Configuration(proxyBeanMethods = false)
class RedisConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(RedisConfiguration.class);

    /** The bound of each call; a claim is tried twice, and then Redis is left alone for a moment. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** When a customer is to come back while Redis does not answer. */
    static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final int GREETINGS = 3;

    /** Where Redis is; ends the embedded one with the shop. */
    record Server(RedisURI uri, @Nullable EmbeddedRedis embedded) implements AutoCloseable {
        @Override
        public void close() {
            if (embedded != null) {
                embedded.close();
            }
        }
    }

    @Bean
    Server redisServer(@Value("${shop.redis.uri:}") String uri) {
        if (!uri.isBlank()) {
            return new Server(RedisURI.create(uri), null);
        }
        EmbeddedRedis embedded = EmbeddedRedis.start();
        return new Server(embedded.uri(), embedded);
    }

    @Bean(destroyMethod = "shutdown")
    ClientResources redisClientResources() {
        // Back within a second of Redis's return, not within the half minute of the default.
        return ClientResources.builder()
                .reconnectDelay(
                        Delay.exponential(Duration.ofMillis(50), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS))
                .build();
    }

    @Bean(destroyMethod = "shutdown")
    RedisClient redisClient(ClientResources resources) {
        RedisClient client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(1))
                        .keepAlive(true)
                        .build())
                .build());
        return client;
    }

    @Bean
    RedisBackend redisBackend(RedisClient client, Server server) {
        RedisOptions options =
                RedisOptions.defaults().withPrefix("shop:oncegate").withTimeout(TIMEOUT);
        RedisBackend backend = RedisBackend.connecting(client, server.uri(), options);
        greet(backend);
        return backend;
    }

    /** Opens the connection, so that the first customer does not wait for it. Redis may also come later. */
    private static void greet(RedisBackend backend) {
        EvictionPolicy policy = backend.evictionPolicy();
        for (int tries = 1; policy instanceof EvictionPolicy.Unreadable && tries < GREETINGS; tries++) {
            policy = backend.evictionPolicy();
        }
        if (policy instanceof EvictionPolicy.Unreadable unreadable) {
            LOG.warn("Orders are refused until Redis answers: {}", unreadable.reason());
        } else if (!policy.keepsEverything()) {
            LOG.warn("Redis may forget answers before their time ({}); the database then gives them again", policy);
        }
    }

    /** One for all who use it, so that what one of them has waited for in vain, the next does not wait for. */
    @Bean
    PausingRecordStore redisRecordStore(RedisBackend backend) {
        return new PausingRecordStore(new RedisRecordStore(backend), System::nanoTime);
    }
}
