package io.oncegate.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.redis.RedisOptions;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.integration.support.locks.DistributedLock;

/** What users of Spring Integration's registries rely on. */
@ParameterizedClass
@ValueSource(strings = {"memory", "redis"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OncegateLockRegistryIT {
    @Parameter
    String backend;

    private ExecutorService pool;
    private RedisClient client;
    private RedisBackend redis;
    private Locks locks;
    private OncegateLockRegistry registry;
    private OncegateLockRegistry other;

    @BeforeParameterizedClassInvocation
    void start() {
        pool = Executors.newCachedThreadPool();
        if (backend.equals("redis")) {
            client = RedisClient.create();
            redis = RedisBackend.connecting(
                    client,
                    RedisServers.standalone().uri(),
                    RedisOptions.defaults()
                            .withPrefix(UUID.randomUUID().toString())
                            .withTimeout(Duration.ofSeconds(60)));
            locks = LeasedLocks.of(new RedisLockStore(redis));
        } else {
            locks = LeasedLocks.of(new MemoryLockStore());
        }
        registry = new OncegateLockRegistry(locks, "registry");
        other = new OncegateLockRegistry(locks, "registry");
    }

    @AfterParameterizedClassInvocation
    void stop() {
        locks.close();
        if (redis != null) {
            redis.close();
            client.shutdown(0, 0, TimeUnit.SECONDS);
        }
        pool.shutdownNow();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(registry.held()).isZero();
    }

    private <T> T elsewhere(Callable<T> task) throws Exception {
        return pool.submit(task).get(60, TimeUnit.SECONDS);
    }

    @Test
    void isReentrantForItsThreadAndExcludesOthers() throws Exception {
        DistributedLock lock = registry.obtain("a");
        lock.lock();
        assertThat(registry.obtain("a").tryLock()).isTrue();
        lock.unlock();
        assertThat(elsewhere(() -> lock.tryLock())).isFalse();
        assertThat(elsewhere(() -> other.obtain("a").tryLock(10, TimeUnit.MILLISECONDS)))
                .isFalse();
        lock.unlock();
        elsewhere(() -> {
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            return null;
        });
    }

    @Test
    void twoRegistriesOfOneProcessAreTwoOwners() {
        Lock lock = registry.obtain("two");
        lock.lock();
        assertThat(other.obtain("two").tryLock()).isFalse();
        lock.unlock();
    }

    @Test
    void onlyTheThreadThatLockedMayUnlock() throws Exception {
        Lock lock = registry.obtain("b");
        lock.lock();
        elsewhere(() -> {
            assertThatIllegalStateException().isThrownBy(lock::unlock);
            return null;
        });
        lock.unlock();
        assertThatIllegalStateException().isThrownBy(lock::unlock);
    }

    @Test
    void onlyEqualKeysExcludeEachOther() throws Exception {
        List<Object> keys = new ArrayList<>(List.of("Aa", "BB", "", " ", "1", 1, 1L, UUID.randomUUID()));
        for (int i = 0; i < 60; i++) {
            keys.add("key" + i);
        }
        keys.forEach(key -> registry.obtain(key).lock());
        for (Object key : keys) {
            assertThat(elsewhere(() -> registry.obtain(key).tryLock()))
                    .as("%s", key)
                    .isFalse();
        }
        keys.forEach(key -> registry.obtain(key).unlock());
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(new Object()));
        assertThat(registry.obtain("a")).isEqualTo(registry.obtain("a")).isNotEqualTo(other.obtain("a"));
    }

    @Test
    @DisplayName(
            "C14: an unlock of what was lost reports it and frees all local state, and another thread gets the lock")
    void aLostLockLeavesNothingBehind() throws Exception {
        DistributedLock lock = registry.obtain("lost");
        lock.lock(Duration.ofMillis(50));
        elsewhere(() -> {
            assertThat(lock.tryLock(60, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
            return null;
        });
        assertThatThrownBy(lock::tryLock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasMessageContaining("lost");
        assertThat(registry.held()).isZero();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void anInterruptEndsTheWaitOfThoseWhoAllowItAndOfNoOthers() throws Exception {
        Lock lock = registry.obtain("i");
        lock.lock();
        CompletableFuture<String> interruptible = new CompletableFuture<>();
        Thread first = new Thread(() -> {
            try {
                lock.lockInterruptibly();
                interruptible.complete("locked");
            } catch (InterruptedException e) {
                interruptible.complete("interrupted");
            }
        });
        CompletableFuture<Boolean> stubborn = new CompletableFuture<>();
        Thread second = new Thread(() -> {
            lock.lock();
            lock.unlock();
            stubborn.complete(Thread.interrupted());
        });
        for (Thread thread : List.of(first, second)) {
            thread.start();
            Await.until("it waits", Duration.ofSeconds(60), () -> thread.getState() == Thread.State.TIMED_WAITING);
            thread.interrupt();
        }
        assertThat(interruptible.get(60, TimeUnit.SECONDS)).isEqualTo("interrupted");
        assertThat(stubborn).isNotDone();
        lock.unlock();
        assertThat(stubborn.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void renewsWhatTheThreadHolds() {
        DistributedLock lock = registry.obtain("r");
        assertThatIllegalStateException().isThrownBy(() -> registry.renewLock("r"));
        lock.lock(Duration.ofMinutes(1));
        registry.renewLock("r");
        registry.renewLock("r", Duration.ofSeconds(30));
        assertThatIllegalArgumentException().isThrownBy(() -> registry.renewLock("r", Duration.ofMinutes(2)));
        lock.unlock();
    }

    @Test
    void whatADeadThreadHeldIsForgottenWhenItIsLost() throws Exception {
        Thread thread = new Thread(() -> registry.obtain("dead").lock(Duration.ofMillis(20)));
        thread.start();
        thread.join();
        Await.until("it is forgotten", Duration.ofSeconds(60), () -> {
            registry.expireUnusedOlderThan(0);
            return registry.held() == 0;
        });
    }

    @Test
    void runsLockedWork() throws Exception {
        assertThat(registry.executeLocked("x", () -> registry.held())).isEqualTo(1);
        assertThatThrownBy(() -> registry.obtain("x").newCondition()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void windowsAreNoLocksOfARegistry() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OncegateLockRegistry(
                        locks, "w", Scope.global(), LockOptions.forWindow(Duration.ofSeconds(1))));
    }

    @Test
    void anUnsynchronisedCounterCountsRight() throws Exception {
        int[] counter = new int[1];
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            OncegateLockRegistry mine = i % 2 == 0 ? registry : other;
            all.add(CompletableFuture.runAsync(
                    () -> {
                        for (int k = 0; k < 25; k++) {
                            Lock lock = mine.obtain("counter");
                            lock.lock();
                            try {
                                counter[0]++;
                            } finally {
                                lock.unlock();
                            }
                        }
                    },
                    pool));
        }
        for (CompletableFuture<Void> each : all) {
            each.get(120, TimeUnit.SECONDS);
        }
        assertThat(counter[0]).isEqualTo(200);
    }
}
