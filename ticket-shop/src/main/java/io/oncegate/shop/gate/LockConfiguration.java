package io.oncegate.shop.gate;

import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.Locks;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.spring.lock.EnableLocks;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The business gate: locks in the shop's Redis, for annotated methods. Each of them says whose lock it takes. */
@Configuration(proxyBeanMethods = false)
@EnableLocks
class LockConfiguration {
    @Bean(destroyMethod = "close")
    Locks locks(RedisBackend redis) {
        return LeasedLocks.of(new RedisLockStore(redis));
    }
}
