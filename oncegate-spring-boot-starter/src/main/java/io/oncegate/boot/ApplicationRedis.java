package io.oncegate.boot;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes a client to the Redis of the application, with the resources and options of its connection. It is another one, for
 * the application's own does not outlive a stop and start, as tests do it when they go from one context to the next.
 */
final class ApplicationRedis {
    private ApplicationRedis() {}

    static OwnRedis of(LettuceConnectionFactory factory, RedisOptions options) {
        LettuceClientConfiguration application = factory.getClientConfiguration();
        ClientResources shared = application.getClientResources().orElse(null);
        ClientResources resources = shared == null ? ClientResources.create() : shared;
        ClientOptions clientOptions = application.getClientOptions().orElseGet(ClientOptions::create);
        if (factory.isClusterAware()) {
            RedisClusterClient client = RedisClusterClient.create(resources, RedisUris.cluster(factory));
            client.setOptions(
                    clientOptions instanceof ClusterClientOptions cluster
                            ? cluster
                            : ClusterClientOptions.builder(clientOptions).build());
            return new OwnRedis(shared == null ? resources : null, client, RedisBackend.connecting(client, options));
        }
        RedisClient client = RedisClient.create(resources);
        client.setOptions(clientOptions);
        return new OwnRedis(
                shared == null ? resources : null,
                client,
                RedisBackend.connecting(client, RedisUris.of(factory), options));
    }
}
