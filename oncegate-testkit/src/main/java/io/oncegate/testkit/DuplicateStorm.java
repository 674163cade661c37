package io.oncegate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * Sends the same call many times at once, as an impatient client would: every copy has a thread of its own, and none starts
 * before all are ready.
 *
 * <pre>{@code
 * StormReport<Order> report = DuplicateStorm.of(64, () -> orders.create(key, request));
 * assertThat(report.distinct()).hasSize(1);
 * }</pre>
 */
public final class DuplicateStorm {
    /** How long a storm may take, unless said otherwise. */
    public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

    private DuplicateStorm() {}

    /**
     * Runs this many copies of the call.
     *
     * @throws AssertionError if one is not over after {@link #DEFAULT_LIMIT}
     */
    public static <T> StormReport<T> of(int copies, Callable<T> call) {
        return of(copies, DEFAULT_LIMIT, copy -> call);
    }

    /**
     * Runs calls that differ from copy to copy.
     *
     * @param copies how many
     * @param limit how long all of them together may take
     * @param calls gives the call of each copy, counted from 0
     * @throws AssertionError if one is not over in time; its stack is in the message, and it has been interrupted
     */
    public static <T> StormReport<T> of(int copies, Duration limit, IntFunction<Callable<T>> calls) {
        CountDownLatch ready = new CountDownLatch(copies);
        CountDownLatch go = new CountDownLatch(1);
        List<FutureTask<T>> tasks = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            Callable<T> call = calls.apply(copy);
            FutureTask<T> task = new FutureTask<>(() -> {
                ready.countDown();
                go.await();
                return call.call();
            });
            Thread thread = new Thread(task, "duplicate-" + copy);
            thread.setDaemon(true);
            thread.start();
            tasks.add(task);
            threads.add(thread);
        }
        try {
            long deadline = System.nanoTime() + limit.toNanos();
            ready.await();
            go.countDown();
            List<StormReport.Copy<T>> report = new ArrayList<>();
            for (int copy = 0; copy < copies; copy++) {
                report.add(outcome(tasks.get(copy), threads.get(copy), deadline));
            }
            return new StormReport<>(report);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted in a storm of duplicates", e);
        } finally {
            threads.forEach(Thread::interrupt);
        }
    }

    private static <T> StormReport.Copy<T> outcome(FutureTask<T> task, Thread thread, long deadline)
            throws InterruptedException {
        try {
            long left = Math.max(0, deadline - System.nanoTime());
            return new StormReport.Returned<>(task.get(left, TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return new StormReport.Threw<>(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            AssertionError stuck = new AssertionError(thread.getName() + " is not over in time", e);
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        }
    }
}
