package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** The advice's place among those for rights, asynchronous methods and retries. */
class AdviceOrderTest {
    static class Service {
        final AtomicInteger runs = new AtomicInteger();
        final CompletableFuture<Thread> waiting = new CompletableFuture<>();
        final CompletableFuture<Integer> work = new CompletableFuture<>();
        final ConcurrentHashMap<String, CountDownLatch> begun = new ConcurrentHashMap<>();
        final ConcurrentHashMap<String, CountDownLatch> go = new ConcurrentHashMap<>();

        @Idempotent(operation = "order.secured", key = "#id")
        @PreAuthorize("hasRole('BUYER')")
        public int secured(String id) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "order.async", key = "#id", waitUpTo = "2m")
        @Async
        public CompletableFuture<Integer> async(String id) throws InterruptedException {
            return held(id);
        }

        @Idempotent(operation = "order.async-at-once", key = "#id")
        @Async
        public CompletableFuture<Integer> asyncAtOnce(String id) throws InterruptedException {
            return held(id);
        }

        @Idempotent(operation = "order.async-elsewhere", key = "#id")
        @Async
        public CompletableFuture<Integer> elsewhere(String id) {
            runs.incrementAndGet();
            waiting.complete(Thread.currentThread());
            return work;
        }

        private CompletableFuture<Integer> held(String id) throws InterruptedException {
            latch(begun, id).countDown();
            latch(go, id).await();
            return CompletableFuture.completedFuture(runs.incrementAndGet());
        }

        @Idempotent(operation = "order.retried", key = "#id")
        @Retryable(maxRetries = 3, delay = 1)
        public int retried(String id) {
            if (runs.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("try again");
            }
            return runs.get();
        }

        CountDownLatch latch(ConcurrentHashMap<String, CountDownLatch> latches, String id) {
            return latches.computeIfAbsent(id, unused -> new CountDownLatch(1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableMethodSecurity
    @EnableResilientMethods
    static class Setup {
        @Bean
        Executor taskExecutor() {
            return new SimpleAsyncTaskExecutor("async-");
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    private static AnnotationConfigApplicationContext context;
    private static Service proxy;
    private static Service target;

    @BeforeAll
    static void start() throws Exception {
        context = io.oncegate.spring.annotation.Setup.memory(Setup.class);
        proxy = context.getBean(Service.class);
        target = (Service) ((org.springframework.aop.framework.Advised) proxy)
                .getTargetSource()
                .getTarget();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    private static void logIn(String... roles) {
        TestingAuthenticationToken token = new TestingAuthenticationToken("alice", "", roles);
        token.setAuthenticated(true);
        SecurityContextHolder.getContext().setAuthentication(token);
    }

    @Test
    @DisplayName("C76: rights are checked again before a replay")
    void aRevokedRoleIsNotAnswered() {
        logIn("ROLE_BUYER");
        int first = proxy.secured("a");
        assertThat(proxy.secured("a")).isEqualTo(first);
        logIn("ROLE_VISITOR");
        assertThatThrownBy(() -> proxy.secured("a")).isInstanceOf(AccessDeniedException.class);
    }

    @Test
    @DisplayName("C12(c): an @Async method is claimed on the thread that runs it, and held until its end")
    void anAsyncTwinWaitsForTheEnd() throws Exception {
        CompletableFuture<Integer> first = proxy.async("w");
        assertThat(target.latch(target.begun, "w").await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Integer> second = proxy.async("w");
        assertThat(second).isNotDone();
        target.latch(target.go, "w").countDown();
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(first.get(60, TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("C12(c): without waiting, the twin of a running @Async method is refused")
    void anAsyncTwinIsRefused() throws Exception {
        CompletableFuture<Integer> first = proxy.asyncAtOnce("r");
        assertThat(target.latch(target.begun, "r").await(60, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> proxy.asyncAtOnce("r").get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InProgressException.class);
        target.latch(target.go, "r").countDown();
        int answer = first.get(60, TimeUnit.SECONDS);
        assertThat(proxy.asyncAtOnce("r").get(60, TimeUnit.SECONDS)).isEqualTo(answer);
    }

    @Test
    @DisplayName("C12(c): an interrupt of the thread that waits for the work does not free the key")
    void anInterruptedWaitGoesOn() throws Exception {
        target.runs.set(0);
        CompletableFuture<Integer> first = proxy.elsewhere("i");
        target.waiting.get(60, TimeUnit.SECONDS).interrupt();
        assertThatThrownBy(() -> proxy.elsewhere("i").get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InProgressException.class);
        target.work.complete(7);
        assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(7);
        assertThat(proxy.elsewhere("i").get(60, TimeUnit.SECONDS)).isEqualTo(7);
        assertThat(target.runs).hasValue(1);
    }

    @Test
    void aRetryIsAClaimOfItsOwnUnderTheSameKey() {
        target.runs.set(0);
        assertThat(proxy.retried("x")).isEqualTo(3);
        assertThat(proxy.retried("x")).isEqualTo(3);
        assertThat(target.runs).hasValue(3);
    }
}
