package io.oncegate.testkit;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Something that runs on a thread of its own while the test goes on. */
final class Background<T> {
    /** How often a thread has to be seen waiting to count as waiting: for longer than a question to a store takes. */
    private static final int STILL = 100;

    /** The same for many at once. */
    private static final int ALL_STILL = 200;

    private static final @Nullable Object BUILDER = builderOfVirtualThreads();
    private static final @Nullable Method VIRTUAL = BUILDER == null ? null : unstarted();

    private final FutureTask<T> task;
    private final Thread thread;
    private int seenWaiting;

    private Background(Callable<T> call, Function<Runnable, Thread> threads) {
        this.task = new FutureTask<>(call);
        this.thread = threads.apply(task);
        thread.start();
    }

    static <T> Background<T> run(Callable<T> call) {
        return new Background<>(call, Background::platformThread);
    }

    /** Runs it on a virtual thread, if the JDK has them. */
    static <T> Background<T> lightly(Callable<T> call) {
        return new Background<>(call, VIRTUAL == null ? Background::platformThread : Background::virtualThread);
    }

    private static Thread platformThread(Runnable task) {
        Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        return thread;
    }

    private static @Nullable Object builderOfVirtualThreads() {
        try {
            return Thread.class.getMethod("ofVirtual").invoke(null);
        } catch (ReflectiveOperationException beforeJava21) {
            return null;
        }
    }

    private static Method unstarted() {
        try {
            return Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("virtual threads without a builder", e);
        }
    }

    private static Thread virtualThread(Runnable task) {
        try {
            return (Thread)
                    Objects.requireNonNull(Objects.requireNonNull(VIRTUAL).invoke(BUILDER, task));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("no virtual thread", e);
        }
    }

    /** Runs it, and returns once its thread waits for something, or has ended. */
    static <T> Background<T> waiting(Callable<T> call) {
        Background<T> background = run(call);
        awaitStill(List.of(background), STILL);
        return background;
    }

    /** Runs them all, and returns once each of their threads waits for something, or has ended. */
    static <T> List<Background<T>> allWaiting(List<Callable<T>> calls) {
        List<Background<T>> all = new ArrayList<>();
        calls.forEach(call -> all.add(run(call)));
        awaitStill(all, ALL_STILL);
        return all;
    }

    /** Those who ask a store again from time to time wait in between. */
    private static <T> void awaitStill(List<Background<T>> all, int looks) {
        Polling.until("the thread waits", () -> {
            all.forEach(Background::look);
            return all.stream().allMatch(each -> each.seenWaiting >= looks || each.isDone());
        });
    }

    private void look() {
        Thread.State state = thread.getState();
        if (state == Thread.State.TIMED_WAITING || state == Thread.State.WAITING) {
            seenWaiting++;
        }
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return task.isDone();
    }

    /** What it returned, within the limit of {@link Polling}. */
    T result() {
        return result(Polling.limit());
    }

    T result(Duration limit) {
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("failed in the background: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            AssertionError stuck = new AssertionError("not over after " + limit, e);
            stuck.setStackTrace(thread.getStackTrace());
            thread.interrupt();
            throw stuck;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the background", e);
        }
    }
}
