package io.oncegate.boot;

import io.oncegate.core.OnceListener;
import io.oncegate.core.Oncegate;
import io.oncegate.core.codec.ResultCodec;
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
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** The ladder: Redis in front of the application's database. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisBackend.class)
@ConditionalOnBean({RedisBackend.class, TransactionalRecordStore.class})
@ConditionalOnProperty(name = "oncegate.ladder.enabled", matchIfMissing = true)
class LadderConfiguration {
    static final String REMEDY =
            "A ladder needs both Redis (oncegate-redis, and oncegate.redis.uri or spring.data.redis.*)"
                    + " and a database (oncegate-jdbc, a DataSource and a transaction manager, and no"
                    + " oncegate.same-transaction.enabled=false)";

    private static final String CAFFEINE = "io.oncegate.caffeine.CachedRecordStore";

    /** The fast store, which is nobody's {@code RecordStore} bean: claimed operations may use another. */
    @Bean
    FastRecords oncegateFastRecords(RedisBackend backend, OncegateProperties properties, ResourceLoader resources) {
        RedisRecordStore redis = new RedisRecordStore(backend);
        LadderSettings.NearCacheSettings cache = properties.ladder().nearCache();
        if (!cache.enabled()) {
            return new FastRecords(redis, redis);
        }
        if (!ClassUtils.isPresent(CAFFEINE, resources.getClassLoader())) {
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
        return EngineConfiguration.built(Oncegate.ladder(fast.store(), judge), codec, listeners, properties);
    }
}
