package io.oncegate.boot;

import io.oncegate.core.LadderForget;
import io.oncegate.core.OnceListener;
import io.oncegate.core.Oncegate;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisRecordStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

/** The ladder: Redis in front of the application's database. */
@Configuration(proxyBeanMethods = false)
@Import({LadderConfiguration.Ladder.class, LadderConfiguration.Forget.class, LadderConfiguration.Missing.class})
class LadderConfiguration {
    static final String REMEDY =
            "a ladder needs both Redis (oncegate-redis, and oncegate.redis.uri or spring.data.redis.*)"
                    + " and a database (oncegate-jdbc, a DataSource and a transaction manager, oncegate.same-transaction.enabled)";

    private static final String CAFFEINE = "io.oncegate.caffeine.CachedRecordStore";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisBackend.class)
    @ConditionalOnBean({RedisBackend.class, TransactionalRecordStore.class})
    @ConditionalOnProperty(name = "oncegate.ladder.enabled", matchIfMissing = true)
    static class Ladder {
        /** The fast store, which is nobody's {@code RecordStore} bean: claimed operations may use another. */
        @Bean
        FastRecords oncegateFastRecords(RedisBackend backend, OncegateProperties properties) {
            RedisRecordStore redis = new RedisRecordStore(backend);
            LadderSettings.NearCacheSettings cache = properties.ladder().nearCache();
            if (!cache.enabled()) {
                return new FastRecords(redis, redis);
            }
            if (!ClassUtils.isPresent(CAFFEINE, Ladder.class.getClassLoader())) {
                throw new MissingStoreException(
                        "cannot use oncegate.ladder.near-cache.enabled=true", "Add oncegate-caffeine");
            }
            return NearCache.inFrontOf(redis, cache);
        }

        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean(name = "ladderOncegate")
        Oncegate ladderOncegate(
                FastRecords fast,
                TransactionalRecordStore judge,
                ResultCodec codec,
                ObjectProvider<OnceListener> listeners,
                OncegateProperties properties) {
            RecordStore store = fast.store();
            return EngineConfiguration.built(Oncegate.ladder(store, judge), codec, listeners, properties);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({FastRecords.class, JdbcRecords.class})
    static class Forget {
        /** For operators. */
        @Bean
        @Lazy
        @ConditionalOnMissingBean
        LadderForget oncegateLadderForget(FastRecords fast, JdbcRecords records) {
            return LadderForget.of(fast.browser(), records.claimed());
        }
    }

    /** A ladder that is asked for and cannot be had. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "oncegate.ladder.enabled", havingValue = "true")
    @ConditionalOnMissingBean(name = "ladderOncegate")
    static class Missing {
        @Bean
        FastRecords oncegateMissingLadder() {
            throw new MissingStoreException("cannot use oncegate.ladder.enabled=true", REMEDY);
        }
    }
}
