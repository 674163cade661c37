package io.oncegate.boot;

import io.lettuce.core.RedisClient;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.spring.integration.OncegateLockRegistry;
import io.oncegate.zookeeper.ZooKeeperLocks;
import java.util.List;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Locks, made when something first asks for them: in the application's {@link LockStore} bean, else in Redis, the database,
 * ZooKeeper or memory. Without a store, what asks for them stops the start. A {@link Locks} bean of the application comes
 * first.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@Import({
    LockAutoConfiguration.Redis.class,
    JdbcLockConfiguration.class,
    LockAutoConfiguration.ZooKeeper.class,
    LockAutoConfiguration.Registry.class
})
public final class LockAutoConfiguration {
    @Bean(destroyMethod = "close")
    @Lazy
    @ConditionalOnMissingBean
    Locks oncegateLocks(
            OncegateProperties properties,
            ObjectProvider<LockStore> own,
            ObjectProvider<LocksSource> sources,
            ObjectProvider<LockListener> listeners) {
        List<LockListener> told = Stream.concat(Stream.of(new LockDownLog()), listeners.orderedStream())
                .toList();
        LockStore store = own.getIfAvailable();
        return store != null
                ? LocksChoice.leased(store, told)
                : LocksChoice.choose(
                        properties.locks().store(),
                        properties.store(),
                        sources.stream().toList(),
                        told);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ZooKeeperLocks.class, CuratorFramework.class})
    static class ZooKeeper {
        @Bean
        @ConditionalOnSingleCandidate(CuratorFramework.class)
        LocksSource oncegateZooKeeperLocks(CuratorFramework client, OncegateProperties properties) {
            return new LocksSource(LockStoreKind.ZOOKEEPER, listeners -> {
                ZooKeeperLocks.Builder locks = ZooKeeperLocks.builder(client);
                if (properties.locks().zookeeperPath() != null) {
                    locks.basePath(properties.locks().zookeeperPath());
                }
                listeners.forEach(locks::listener);
                return locks.build();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({LockRegistry.class, RenewableLockRegistry.class})
    @ConditionalOnProperty(name = "oncegate.locks.registry.enabled", matchIfMissing = true)
    static class Registry {
        @Bean
        @Lazy
        @ConditionalOnMissingBean(LockRegistry.class)
        OncegateLockRegistry oncegateLockRegistry(Locks locks, OncegateProperties properties) {
            return new OncegateLockRegistry(locks, properties.locks().registry().operation());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisBackend.class, RedisClient.class})
    static class Redis {
        @Bean
        @ConditionalOnBean(RedisBackend.class)
        LocksSource oncegateRedisLocks(RedisBackend backend) {
            return new LocksSource(
                    LockStoreKind.REDIS, listeners -> LocksChoice.leased(new RedisLockStore(backend), listeners));
        }
    }
}
