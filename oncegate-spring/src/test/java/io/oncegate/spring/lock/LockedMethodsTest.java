package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.spring.annotation.CallerUnknownException;
import io.oncegate.testsupport.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What callers of annotated methods see: both holds, the answers to the second caller, and how holds end. */
class LockedMethodsTest {
    private static final ExecutorService POOL = Executors.newCachedThreadPool();

    private static AnnotationConfigApplicationContext context;
    private static Desk desk;
    private static Desk target;
    private static LockSetup.Store store;
    private static LockSetup.Heard heard;

    @BeforeAll
    static void start() throws Exception {
        context = LockSetup.memory(Desk.class);
        desk = context.getBean(Desk.class);
        target = (Desk) ((Advised) desk).getTargetSource().getTarget();
        store = context.getBean(LockSetup.Store.class);
        heard = context.getBean(LockSetup.Heard.class);
    }

    @AfterAll
    static void stop() {
        context.close();
        POOL.shutdownNow();
    }

    /** Starts it elsewhere, and returns when it runs. */
    private static <T> CompletableFuture<T> running(String id, Supplier<T> call) throws InterruptedException {
        CompletableFuture<T> started = CompletableFuture.supplyAsync(call, POOL);
        assertThat(target.begun(id).await(60, TimeUnit.SECONDS)).isTrue();
        return started;
    }

    /** Starts it elsewhere, and returns when it waits: one that comes later would rightly run itself. */
    private static <T> CompletableFuture<T> waiting(Supplier<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(call.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        thread.start();
        Await.until("it waits", Duration.ofSeconds(60), () -> thread.getState() == Thread.State.TIMED_WAITING);
        return answer;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void theSecondCallIsRefusedWithTheTimeLeftUntilTheFirstHasEnded() throws Exception {
        CompletableFuture<Integer> first = running("a", () -> desk.refuse("a"));
        assertThatThrownBy(() -> desk.refuse("a"))
                .isInstanceOfSatisfying(
                        InProgressException.class,
                        refused -> assertThat(refused.retryAfter())
                                .isBetween(Duration.ofMillis(1), Duration.ofSeconds(30)));
        target.go("a").countDown();
        assertThat(get(first)).isPositive();
        assertThat(desk.refuse("a")).isPositive();
    }

    @Test
    void onlyEqualKeysOfOneScopeExcludeEachOther() throws Exception {
        CompletableFuture<Integer> first = running("bob", () -> desk.scoped("bob", "x"));
        target.go("eve").countDown();
        assertThat(desk.scoped("eve", "x")).isPositive();
        assertThatThrownBy(() -> desk.scoped("bob", "x")).isInstanceOf(InProgressException.class);
        target.go("bob").countDown();
        get(first);
    }

    @Test
    void aQuotedKeyIsOneLockForAll() throws Exception {
        CompletableFuture<Integer> first = running("all1", () -> desk.all("all1"));
        assertThatThrownBy(() -> desk.all("all2")).isInstanceOf(InProgressException.class);
        target.go("all1").countDown();
        get(first);
    }

    @Test
    void whoWaitsRunsWhenTheFirstHasEnded() throws Exception {
        CompletableFuture<Integer> first = running("w", () -> desk.waiting("w"));
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> desk.waiting("w"), POOL);
        target.go("w").countDown();
        assertThat(get(second)).isNotEqualTo(get(first));
    }

    @Test
    void whoHasWaitedInVainIsRefused() throws Exception {
        CompletableFuture<Integer> first = running("ws", () -> desk.waitingShort("ws"));
        assertThatThrownBy(() -> desk.waitingShort("ws")).isInstanceOf(InProgressException.class);
        target.go("ws").countDown();
        get(first);
    }

    @Test
    void whoTakesTheResultDoesNotRun() throws Exception {
        CompletableFuture<Desk.Receipt> first = running("r", () -> desk.result("r"));
        int before = target.runs.get();
        CompletableFuture<Desk.Receipt> second = waiting(() -> desk.result("r"));
        target.go("r").countDown();
        assertThat(get(second))
                .isEqualTo(get(first))
                .isEqualTo(new Desk.Receipt("r", get(first).number()));
        assertThat(target.runs).hasValue(before);
    }

    @Test
    void aVoidResultIsTakenWithoutRunning() throws Exception {
        CompletableFuture<Void> first = running("v", () -> {
            desk.nothing("v");
            return null;
        });
        int before = target.runs.get();
        CompletableFuture<Void> second = waiting(() -> {
            desk.nothing("v");
            return null;
        });
        target.go("v").countDown();
        get(first);
        get(second);
        assertThat(target.runs).hasValue(before);
    }

    @Test
    void withinTheWindowASecondIntentIsADuplicateAlthoughTheFirstHasFinished() {
        target.go("win").countDown();
        int first = desk.window("win");
        assertThatThrownBy(() -> desk.window("win"))
                .isInstanceOfSatisfying(
                        InProgressException.class,
                        refused -> assertThat(refused.retryAfter())
                                .isBetween(Duration.ofMinutes(50), Duration.ofHours(1)));
        assertThat(first).isPositive();
    }

    @Test
    void withinTheWindowTheResultIsGivenAgain() {
        assertThat(desk.windowResult("wr")).isEqualTo(desk.windowResult("wr"));
    }

    @Test
    void aResultThatIsTooLargeIsNotGivenAndNotMadeAgain() {
        int before = target.runs.get();
        assertThat(desk.large("big")).hasSize(20);
        assertThatThrownBy(() -> desk.large("big")).isInstanceOf(ResultUnavailableException.class);
        assertThat(target.runs).hasValue(before + 1);
    }

    @Test
    void aFailureClosesTheWindowUnlessItIsDeclared() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> desk.keep("k", Desk.Broken::new)).isInstanceOf(Desk.Broken.class);
        }
        assertThatThrownBy(() -> desk.keep("k", IOException::new)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> desk.keep("k", Desk.Broken::new)).isInstanceOf(InProgressException.class);
    }

    @Test
    void keyAndScopeAreRequired() {
        assertThatThrownBy(() -> desk.refuse(" ")).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> desk.refuse(null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> desk.scoped(null, "x")).isInstanceOf(CallerUnknownException.class);
    }

    @Test
    void withTheStoreDownACallIsRefusedOrRunsUnprotectedAndIsCounted() {
        store.down = true;
        try {
            assertThatThrownBy(() -> desk.refuse("down")).isInstanceOf(StoreUnavailableException.class);
            assertThat(desk.unprotected("down")).isTrue();
        } finally {
            store.down = false;
        }
        assertThat(heard.count(LockEvent.Kind.UNPROTECTED, "desk.down")).isEqualTo(1);
        assertThat(desk.unprotected("down")).isFalse();
    }

    @Test
    @DisplayName("C11: a lock that was lost while its work ran is counted, and the call fails where it is asked to")
    void aLostLockIsNoSilentSuccess() {
        assertThat(desk.lost("l", () -> store.losing = true)).isEqualTo("done");
        store.losing = false;
        assertThat(heard.count(LockEvent.Kind.LOST, "desk.lost")).isEqualTo(1);
        assertThatThrownBy(() -> desk.lostFails("l", () -> store.losing = true))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("fence");
        store.losing = false;
        assertThat(desk.lostFails("l", () -> {})).isEqualTo("done");
    }

    @Test
    void anInnerCallWithTheSameKeyRunsUnderTheOuterHold() {
        long fence = desk.outer("n", () -> desk.inner("n"));
        assertThat(fence).isPositive();
        assertThat(desk.inner("n")).isGreaterThan(fence);
    }

    @Test
    void anInnerCallWithAnotherKeyHasAHoldOfItsOwn() {
        desk.outer("n1", () -> {
            long outer = CurrentLock.fence();
            long inner = desk.outer("n2", () -> desk.inner("n1"));
            assertThat(inner).isEqualTo(outer);
            return inner;
        });
        assertThat(CurrentLock.find()).isEmpty();
    }

    @Test
    void theCallChainAndNotTheThreadIsTheOwner() {
        assertThatThrownBy(() -> desk.outer(
                        "t",
                        () -> CompletableFuture.supplyAsync(() -> desk.inner("t"), POOL)
                                .join()))
                .hasCauseInstanceOf(InProgressException.class);
    }

    @Test
    void theMethodCannotEndItsLockItself() {
        assertThatThrownBy(() -> desk.ends("e")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(CurrentLock::get).isInstanceOf(IllegalStateException.class);
    }
}
