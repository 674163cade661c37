package io.oncegate.benchmarks;

import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** What others do on the same Redis, as their documentation shows it. Thread-safe. */
final class RedisLockPeers implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String HOT = "hot";

    private final LettuceConnectionFactory factory;
    private final RedisLockProvider shedLock;
    private final RedisLockRegistry registry;
    private final RedisTemplateLockExecutor lock4j;
    private final RedissonClient redisson;
    private final RedissonClient second;

    RedisLockPeers(String host, int port) {
        factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port));
        factory.afterPropertiesSet();
        factory.start();
        shedLock = new RedisLockProvider(factory, "bench");
        registry = new RedisLockRegistry(factory, "registry", LEASE);
        lock4j = new RedisTemplateLockExecutor(new StringRedisTemplate(factory), new Lock4jProperties());
        redisson = redisson(host, port);
        second = redisson(host, port);
    }

    private static RedissonClient redisson(String host, int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + host + ":" + port);
        return Redisson.create(config);
    }

    Body shedLock(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> shedLock.lock(new LockConfiguration(Instant.now(), cycle.name(), LEASE, Duration.ZERO))
                .orElseThrow()
                .unlock();
    }

    Body springIntegration(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            Lock lock = registry.obtain(cycle.name());
            require(lock.tryLock());
            lock.unlock();
        };
    }

    Body redisson(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            RLock lock = redisson.getLock(cycle.name());
            require(lock.tryLock());
            lock.unlock();
        };
    }

    Body lock4j(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            String name = "lock4j:" + cycle.name();
            String owner = name + thread;
            String lock = lock4j.acquire(name, owner, LEASE.toMillis(), 0);
            require(lock != null && lock4j.releaseLock(name, owner, lock));
        };
    }

    Body redissonHot(int thread) {
        return hot(redisson);
    }

    Body redissonHotInTwo(int thread) {
        return hot(thread % 2 == 0 ? redisson : second);
    }

    private static Body hot(RedissonClient client) {
        return () -> {
            RLock lock = client.getLock(HOT);
            require(lock.tryLock(RedisLockPaths.WAIT.toMillis(), TimeUnit.MILLISECONDS));
            lock.unlock();
        };
    }

    private static void require(boolean locked) {
        if (!locked) {
            throw new IllegalStateException("a peer did not get its lock");
        }
    }

    @Override
    public void close() {
        redisson.shutdown(0, 1, TimeUnit.SECONDS);
        second.shutdown(0, 1, TimeUnit.SECONDS);
        factory.destroy();
    }
}
