package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.testsupport.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A lock is held until the work has ended, whatever a method returns. */
class LockedReturnTypesTest {
    static class Work {
        final Map<String, CompletableFuture<String>> works = new ConcurrentHashMap<>();
        final AtomicInteger runs = new AtomicInteger();
        private final ObjectProvider<Work> self;

        Work(ObjectProvider<Work> self) {
            this.self = self;
        }

        CompletableFuture<String> work(String id) {
            return works.computeIfAbsent(id, unused -> new CompletableFuture<>());
        }

        @Locked(operation = "work.stage", key = "#id")
        public CompletableFuture<String> stage(String id) {
            runs.incrementAndGet();
            return work(id);
        }

        @Locked(operation = "work.stage", key = "#id")
        public String beginsStage(String id, List<CompletableFuture<String>> begun) {
            begun.add(self.getObject().stage(id));
            return id;
        }

        @Locked(operation = "work.stage-result", key = "#id", whenHeld = WhenHeld.RESULT, waitUpTo = "60s")
        public CompletableFuture<String> stageResult(String id) {
            runs.incrementAndGet();
            return work(id);
        }

        @Locked(operation = "work.callable", key = "#id")
        public Callable<String> callable(String id) {
            return () -> "fence " + CurrentLock.fence();
        }

        @Locked(operation = "work.async", key = "#id", whenHeld = WhenHeld.WAIT, waitUpTo = "60s")
        @Async
        public CompletableFuture<Integer> async(String id) throws Exception {
            int run = runs.incrementAndGet();
            work(id).get(60, TimeUnit.SECONDS);
            return CompletableFuture.completedFuture(run);
        }

        @Locked(operation = "work.mono", key = "#id")
        public Mono<String> mono(String id) {
            return Mono.fromFuture(() -> work(id), true)
                    .flatMap(value -> ReactiveCurrentLock.fence().map(fence -> value + (fence > 0)));
        }

        @Locked(operation = "work.mono-wait", key = "#id", whenHeld = WhenHeld.WAIT, waitUpTo = "60s")
        public Mono<String> monoWait(String id) {
            return Mono.fromFuture(() -> work(id), true);
        }

        @OncePerWindow(operation = "work.mono-window", key = "#id", window = "1h")
        public Mono<String> monoWindow(String id) {
            return Mono.fromFuture(() -> work(id), true);
        }

        @Locked(operation = "work.mono-nested", key = "#id")
        public Mono<String> monoNested(String id, int depth) {
            return depth == 0
                    ? Mono.just(id)
                    : Mono.just(depth)
                            .publishOn(Schedulers.parallel())
                            .flatMap(d -> self.getObject().monoNested(id, d - 1));
        }

        @Locked(operation = "work.flux", key = "#id")
        public Flux<Integer> flux(String id) {
            return Flux.range(1, 1000);
        }

        @OncePerWindow(operation = "work.flux-window", key = "#id", window = "1h", whenHeld = WhenHeld.RESULT)
        public Flux<Integer> fluxWindow(String id) {
            runs.incrementAndGet();
            return Flux.range(1, 3);
        }

        @OncePerWindow(operation = "work.response", key = "#id", window = "1h", whenHeld = WhenHeld.RESULT)
        public ResponseEntity<String> response(String id, int status) {
            return ResponseEntity.status(status).body(id + runs.incrementAndGet());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Setup {
        @Bean
        Executor taskExecutor() {
            return new SimpleAsyncTaskExecutor("async-");
        }

        @Bean
        Work work(ObjectProvider<Work> self) {
            return new Work(self);
        }
    }

    private static AnnotationConfigApplicationContext context;
    private static Work proxy;
    private static Work target;
    private static LockSetup.Store store;

    @BeforeAll
    static void start() throws Exception {
        context = LockSetup.memory(Setup.class);
        proxy = context.getBean(Work.class);
        store = context.getBean(LockSetup.Store.class);
        target = (Work) ((Advised) proxy).getTargetSource().getTarget();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static void isHeld(CompletableFuture<?> call) {
        assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(InProgressException.class);
    }

    private static void isHeld(Mono<?> call) {
        assertThatThrownBy(() -> call.block(Duration.ofSeconds(60))).isInstanceOf(InProgressException.class);
    }

    private static void awaitBegun(String id) {
        Await.until("its work has begun", Duration.ofSeconds(60), () -> target.works.containsKey(id));
    }

    @Test
    void aStageIsHeldUntilItCompletes() throws Exception {
        CompletableFuture<String> first = proxy.stage("s");
        isHeld(proxy.stage("s"));
        target.work("s").complete("done");
        assertThat(get(first)).isEqualTo("done");
        assertThat(get(proxy.stage("s"))).isEqualTo("done");
    }

    @Test
    void aStageThatFailsFreesTheLockAndKeepsItsFailure() {
        CompletableFuture<String> first = proxy.stage("sf");
        target.work("sf").completeExceptionally(new IllegalStateException("broken"));
        assertThatThrownBy(() -> get(first)).hasRootCauseMessage("broken");
        assertThatThrownBy(() -> get(proxy.stage("sf"))).hasRootCauseMessage("broken");
    }

    @Test
    void aStageThatAnInnerCallHasBegunOutlivesTheOuterOne() throws Exception {
        List<CompletableFuture<String>> begun = new java.util.ArrayList<>();
        assertThat(proxy.beginsStage("si", begun)).isEqualTo("si");
        isHeld(proxy.stage("si"));
        target.work("si").complete("done");
        assertThat(get(begun.get(0))).isEqualTo("done");
        assertThat(get(proxy.stage("si"))).isEqualTo("done");
    }

    @Test
    void theResultOfAStageIsGiven() throws Exception {
        CompletableFuture<String> first = proxy.stageResult("sr");
        int before = target.runs.get();
        CompletableFuture<String> second = new CompletableFuture<>();
        Thread waiter = new Thread(() -> second.complete(proxy.stageResult("sr").join()));
        waiter.start();
        Await.until("it waits", Duration.ofSeconds(60), () -> waiter.getState() == Thread.State.TIMED_WAITING);
        target.work("sr").complete("won");
        assertThat(get(second)).isEqualTo(get(first)).isEqualTo("won");
        assertThat(target.runs).hasValue(before);
    }

    @Test
    void aCallableIsLockedWhenItIsCalled() throws Exception {
        Callable<String> first = proxy.callable("c");
        Callable<String> second = proxy.callable("c");
        assertThat(first.call()).startsWith("fence ");
        assertThat(second.call()).isNotEqualTo(first.call());
    }

    @Test
    @DisplayName("C12(c): the second call of an @Async method waits until the work of the first has ended")
    void anAsyncMethodIsLockedOnTheThreadThatRunsIt() throws Exception {
        int before = target.runs.get();
        CompletableFuture<Integer> first = proxy.async("as");
        CompletableFuture<Integer> second = proxy.async("as");
        Await.until("one runs", Duration.ofSeconds(60), () -> target.runs.get() > before);
        assertThat(target.runs).hasValue(before + 1);
        assertThat(first).isNotDone();
        target.work("as").complete("go");
        assertThat(List.of(get(first), get(second))).containsExactlyInAnyOrder(before + 1, before + 2);
    }

    @Test
    void eachSubscriptionOfAMonoHoldsUntilItsEnd() throws Exception {
        Mono<String> call = proxy.mono("m");
        CompletableFuture<String> first = call.toFuture();
        awaitBegun("m");
        isHeld(call);
        target.work("m").complete("done");
        assertThat(get(first)).isEqualTo("donetrue");
        assertThat(call.block(Duration.ofSeconds(60))).isEqualTo("donetrue");
    }

    @Test
    void theStoreIsAskedOnThreadsThatMayWait() throws Exception {
        CompletableFuture<String> first = proxy.monoWait("mw").toFuture();
        CompletableFuture<String> second =
                proxy.monoWait("mw").subscribeOn(Schedulers.parallel()).toFuture();
        target.work("mw").complete("done");
        assertThat(get(first)).isEqualTo(get(second)).isEqualTo("done");
        assertThat(store.askers.get("work.mono-wait"))
                .isNotEmpty()
                .allSatisfy(thread -> assertThat(thread).startsWith("boundedElastic"));
    }

    @Test
    void aCancelledSubscriptionFreesTheLock() {
        Disposable running = proxy.mono("mc").subscribe();
        awaitBegun("mc");
        isHeld(proxy.mono("mc"));
        running.dispose();
        target.work("mc").complete("next");
        Await.until(
                "it is free",
                Duration.ofSeconds(60),
                () -> "nexttrue".equals(proxy.mono("mc").block(Duration.ofSeconds(60))));
    }

    @Test
    void aSubscriptionThatIsCancelledWhileItWaitsHoldsNothing() {
        Disposable running = proxy.monoWait("mcw").subscribe();
        for (int i = 0; i < 20; i++) {
            proxy.monoWait("mcw").subscribe().dispose();
        }
        running.dispose();
        target.work("mcw").complete("next");
        assertThat(proxy.monoWait("mcw").block(Duration.ofSeconds(60))).isEqualTo("next");
    }

    @Test
    void aCancelledCallLeavesItsWindowOpen() {
        Disposable running = proxy.monoWindow("mx").subscribe();
        awaitBegun("mx");
        isHeld(proxy.monoWindow("mx"));
        running.dispose();
        target.work("mx").complete("next");
        isHeld(proxy.monoWindow("mx"));
    }

    @Test
    void anInnerMonoRunsUnderTheOuterHoldOnAnyThread() {
        assertThat(proxy.monoNested("mn", 3).block(Duration.ofSeconds(60))).isEqualTo("mn");
    }

    @Test
    void aFluxIsStreamedUnderItsLockAndFreesItWhenItIsCancelled() {
        assertThat(proxy.flux("f").take(2).collectList().block(Duration.ofSeconds(60)))
                .containsExactly(1, 2);
        Await.until(
                "it is free",
                Duration.ofSeconds(60),
                () -> proxy.flux("f").count().block(Duration.ofSeconds(60)) == 1000);
    }

    @Test
    void theElementsOfAFluxAreGivenAsAResult() {
        int before = target.runs.get();
        for (int i = 0; i < 2; i++) {
            assertThat(proxy.fluxWindow("fw").collectList().block(Duration.ofSeconds(60)))
                    .containsExactly(1, 2, 3);
        }
        assertThat(target.runs).hasValue(before + 1);
    }

    @Test
    void anAnswerThatSaysThatNothingHasHappenedClosesTheWindow() {
        assertThat(proxy.response("r", 503).getStatusCode().value()).isEqualTo(503);
        ResponseEntity<String> first = proxy.response("r", 201);
        ResponseEntity<String> again = proxy.response("r", 201);
        assertThat(first.getStatusCode().value()).isEqualTo(201);
        assertThat(again.getBody()).isEqualTo(first.getBody());
        assertThat(again.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
    }

    @Test
    void aReactiveTransactionAroundItIsRefused() {
        TransactionalOperator around =
                TransactionalOperator.create(new ReactiveManager(), new DefaultTransactionDefinition());
        assertThatThrownBy(() -> around.transactional(proxy.mono("rt")).block(Duration.ofSeconds(60)))
                .isInstanceOf(UnsafeHoldException.class)
                .hasMessageContaining("reactive transaction");
    }
}
