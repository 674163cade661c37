package io.oncegate.core.lock;

import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The locks' own threads, all daemons, started when needed: one that keeps time, a few that ask the store, one that tells
 * holders of their loss. Renewals have threads of their own, so that no holder can hold up another one's.
 */
final class LockThreads implements AutoCloseable {
    private static final int KEEPERS = 2;

    /**
     * So often the timer's thread looks up by itself while it is used. A task that becomes the next one due wakes that thread;
     * without the beat that would be every acquisition of a lock that is soon released, and dearer than the lock.
     */
    private static final long BEAT = TimeUnit.MILLISECONDS.toNanos(100);

    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor keepers;
    private final ThreadPoolExecutor messengers;

    private final AtomicBoolean beating = new AtomicBoolean();
    private volatile boolean used;

    LockThreads() {
        timer = new ScheduledThreadPoolExecutor(1, named("oncegate-lock-timer"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        keepers = pool(KEEPERS, "oncegate-lock-keeper");
        messengers = pool(1, "oncegate-lock-messenger");
    }

    /** Runs it on the thread that keeps time, after this time: it is to be quick. Null once closed. */
    @Nullable
    Future<?> later(Runnable task, long nanos) {
        used = true;
        if (!beating.get() && beating.compareAndSet(false, true)) {
            var unused = schedule(this::beat, BEAT);
        }
        return schedule(task, nanos);
    }

    private void beat() {
        if (used) {
            used = false;
        } else {
            beating.set(false);
            if (!used || !beating.compareAndSet(false, true)) {
                return;
            }
        }
        var unused = schedule(this::beat, BEAT);
    }

    private @Nullable Future<?> schedule(Runnable task, long nanos) {
        try {
            return timer.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            return null;
        }
    }

    /** Runs it on a thread that may ask the store. */
    void ask(Runnable task) {
        execute(keepers, task);
    }

    /** Runs it on the thread that tells of losses. */
    void tell(Runnable task) {
        execute(messengers, task);
    }

    private static void execute(ThreadPoolExecutor pool, Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException closed) {
            // what is held ends with its lease
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        keepers.shutdown();
        messengers.shutdown();
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
