package io.oncegate.core;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The instance's own threads, all daemons, started when needed: one that keeps time, a few that renew and settle late, a
 * few that serve asynchronous calls, a few that go on asking about unknown outcomes, and those that reconcilers run on.
 * Renewals have threads of their own, so that no business can hold them up.
 */
final class Threads implements AutoCloseable {
    private static final int KEEPERS = 2;
    private static final int INQUIRERS = 2;
    private static final int RECONCILERS = 16;

    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor keepers;
    private final ThreadPoolExecutor callers;
    private final ThreadPoolExecutor inquirers;
    private final ThreadPoolExecutor reconcilers;

    Threads(int asyncThreads) {
        timer = new ScheduledThreadPoolExecutor(1, named("oncegate-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        keepers = pool(KEEPERS, "oncegate-keeper");
        callers = pool(asyncThreads, "oncegate-async");
        inquirers = pool(INQUIRERS, "oncegate-inquirer");
        reconcilers = pool(RECONCILERS, "oncegate-reconciler");
    }

    /** Runs it on a keeper's thread after this time. */
    ScheduledFuture<?> keep(Runnable task, long nanos) {
        return timer.schedule(() -> keepers.execute(task), nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs it on a thread for asynchronous calls. */
    void call(Runnable task) {
        callers.execute(task);
    }

    /** Runs it on a thread for asynchronous calls after this time. */
    void callLater(Runnable task, long nanos) {
        ScheduledFuture<?> ignored = timer.schedule(() -> callers.execute(task), nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs it after this time on a thread that asks about unknown outcomes. */
    void inquireLater(Runnable task, long nanos) {
        ScheduledFuture<?> ignored = timer.schedule(() -> inquirers.execute(task), nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs it on a thread for reconcilers. */
    <T> Future<T> ask(Callable<T> task) {
        return reconcilers.submit(task);
    }

    boolean closed() {
        return timer.isShutdown();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        keepers.shutdown();
        callers.shutdown();
        inquirers.shutdown();
        reconcilers.shutdown();
    }

    private static ThreadPoolExecutor pool(int size, String name) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
