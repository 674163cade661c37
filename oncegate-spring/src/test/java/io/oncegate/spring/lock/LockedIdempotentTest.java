package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.spring.annotation.CallerScope;
import io.oncegate.spring.annotation.EnableIdempotent;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.annotation.Oncegates;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Methods that are both idempotent and locked: the default order, and the other one. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockedIdempotentTest {
    static class Orders {
        final AtomicInteger runs = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);

        // snippet: both
        @Idempotent(operation = "order.create", key = "#request", fingerprint = Idempotent.KEY_ALONE)
        @Locked(operation = "order.session", key = "#session")
        public int create(String request, String session) {
            return runs.incrementAndGet();
        }
        // end snippet

        @Idempotent(operation = "order.slow", key = "#request")
        @Locked(operation = "order.slow-lock", key = "#request")
        public int slow(String request) throws InterruptedException {
            begun.countDown();
            assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "order.window", key = "#request")
        @OncePerWindow(operation = "order.window-lock", key = "#request", window = "1h")
        public int window(String request) {
            return runs.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    static class Setup {
        @Bean
        Oncegates oncegates() {
            return Oncegates.claimed(Oncegate.claimed(new MemoryRecordStore())
                    .codec(new JacksonCodec())
                    .build());
        }

        @Bean
        Locks locks() {
            return LeasedLocks.of(new MemoryLockStore());
        }

        @Bean
        CallerScope callerScope() {
            return () -> Scope.of("alice");
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    static class LockInside {}

    @Configuration(proxyBeanMethods = false)
    @EnableLocks(order = 900)
    static class LockOutside {}

    @Parameter
    boolean outside;

    private AnnotationConfigApplicationContext context;
    private Orders orders;
    private Orders target;
    private Locks locks;

    @BeforeParameterizedClassInvocation
    void start() throws Exception {
        context = new AnnotationConfigApplicationContext(Setup.class, outside ? LockOutside.class : LockInside.class);
        orders = context.getBean(Orders.class);
        target = (Orders) ((org.springframework.aop.framework.Advised) orders)
                .getTargetSource()
                .getTarget();
        locks = context.getBean(Locks.class);
    }

    @AfterParameterizedClassInvocation
    void stop() {
        context.close();
    }

    private HeldLock held(String operation, String key) {
        return locks.tryAcquire(OperationKey.of(operation, Scope.of("alice"), key), LockOptions.untilDone())
                .orElseThrow();
    }

    @Test
    void aReplayNeedsNoLockInTheDefaultOrder() {
        int first = orders.create("replay", "s1");
        try (HeldLock unused = held("order.session", "s1")) {
            if (outside) {
                assertThatThrownBy(() -> orders.create("replay", "s1")).isInstanceOf(InProgressException.class);
            } else {
                assertThat(orders.create("replay", "s1")).isEqualTo(first);
            }
        }
        assertThat(orders.create("replay", "s1")).isEqualTo(first);
    }

    @Test
    void aRefusedLockLeavesTheKeyFree() {
        int before = target.runs.get();
        try (HeldLock unused = held("order.session", "s2")) {
            assertThatThrownBy(() -> orders.create("refused", "s2")).isInstanceOf(InProgressException.class);
        }
        assertThat(target.runs).hasValue(before);
        assertThat(orders.create("refused", "s2")).isEqualTo(before + 1);
    }

    @Test
    void aRepetitionOfARunningCallIsRefusedInBothOrders() throws Exception {
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> {
            try {
                return orders.slow("x");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(target.begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> orders.slow("x"))
                .isInstanceOf(InProgressException.class)
                .hasMessageContaining(outside ? "order.slow-lock" : "order.slow is");
        target.go.countDown();
        int answer = first.get(60, TimeUnit.SECONDS);
        assertThat(orders.slow("x")).isEqualTo(answer);
    }

    @Test
    void aWindowRefusesTheRetryBeforeItsReplayWhereTheLockIsOutside() {
        int first = orders.window("w");
        if (outside) {
            assertThatThrownBy(() -> orders.window("w")).isInstanceOf(InProgressException.class);
        } else {
            assertThat(orders.window("w")).isEqualTo(first);
        }
    }
}
