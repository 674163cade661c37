package io.oncegate.boot;

import io.lettuce.core.RedisClient;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import java.time.Duration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Redis as a store: by an address of its own, or by the connection that the application has already. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisBackend.class, RedisClient.class})
class RedisConfiguration {
    /** Of the application's backend, or of one of those below, which are looked at first. */
    @Bean
    @ConditionalOnBean(RedisBackend.class)
    StoreSource oncegateRedisSource(RedisBackend backend) {
        return new StoreSource(StoreKind.REDIS, () -> new RedisRecordStore(backend));
    }

    @Bean
    @ConditionalOnBean(RedisBackend.class)
    EvictionReport oncegateEvictionReport(RedisBackend backend) {
        return new EvictionReport(backend);
    }

    private static RedisOptions options(RedisSettings settings) {
        RedisOptions options = RedisOptions.defaults();
        String prefix = settings.prefix();
        Duration timeout = settings.timeout();
        Duration margin = settings.purgeMargin();
        options = prefix == null ? options : options.withPrefix(prefix);
        options = timeout == null ? options : options.withTimeout(timeout);
        return margin == null ? options : options.withPurgeMargin(margin);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(RedisBackend.class)
    @ConditionalOnProperty("oncegate.redis.uri")
    static class OwnClient {
        @Bean
        OwnRedis oncegateRedis(OncegateProperties properties) {
            RedisSettings settings = properties.redis();
            return OwnRedis.at(String.valueOf(settings.uri()), settings.cluster(), options(settings));
        }

        @Bean
        RedisBackend oncegateRedisBackend(OwnRedis redis) {
            return redis.backend();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LettuceConnectionFactory.class)
    @ConditionalOnBean(LettuceConnectionFactory.class)
    @ConditionalOnMissingBean(RedisBackend.class)
    @ConditionalOnProperty(name = "oncegate.redis.uri", matchIfMissing = true, havingValue = "\u0000")
    static class SharedClient {
        @Bean
        OwnRedis oncegateRedis(LettuceConnectionFactory factory, OncegateProperties properties) {
            return ApplicationRedis.of(factory, options(properties.redis()));
        }

        @Bean
        RedisBackend oncegateRedisBackend(OwnRedis redis) {
            return redis.backend();
        }
    }
}
