package io.oncegate.spring.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few daemon threads that settle what ends on a thread that must not wait; started when needed, ended when idle. Once
 * closed, the thread that hands a task in runs it: an outcome is recorded all the same. Thread-safe.
 */
public final class SettleThreads implements Executor, AutoCloseable {
    private static final int SIZE = 4;

    private final ThreadPoolExecutor pool;

    /** Creates the threads' pool. */
    public SettleThreads() {
        AtomicInteger number = new AtomicInteger();
        pool = new ThreadPoolExecutor(SIZE, SIZE, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "oncegate-settle-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    @Override
    public void close() {
        pool.shutdown();
    }
}
