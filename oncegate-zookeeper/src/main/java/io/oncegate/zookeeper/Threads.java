package io.oncegate.zookeeper;

import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The locks' own threads, daemons that are started when needed and go when idle: one that keeps time, one that tells
 * holders of their loss. Thread-safe.
 */
final class Threads {
    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor messenger;

    Threads() {
        timer = new ScheduledThreadPoolExecutor(1, named("oncegate-zookeeper-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        messenger = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                named("oncegate-zookeeper-messenger"));
        messenger.allowCoreThreadTimeOut(true);
    }

    /** Runs it on the thread that keeps time, after this time: it is to be quick. */
    Future<?> later(Runnable task, long nanos) {
        return timer.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    /** Runs it on the thread that tells of losses. */
    void tell(Runnable task) {
        messenger.execute(task);
    }

    private static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
