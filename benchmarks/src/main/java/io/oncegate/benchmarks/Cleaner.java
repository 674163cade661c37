package io.oncegate.benchmarks;

import io.oncegate.core.spi.RecordPurger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Purges in batches on a thread of its own, as the starter's does as long as there is something to purge: after each it rests
 * for as long as that took. Can be paused. Thread-safe.
 */
final class Cleaner implements AutoCloseable {
    private static final int BATCH = 500;
    private static final long LONGEST_REST = TimeUnit.SECONDS.toNanos(1);

    private final RecordPurger store;
    private final Thread thread = new Thread(this::work, "cleaner");
    private final AtomicLong deleted = new AtomicLong();
    private boolean wanted;
    private boolean busy;
    private boolean closed;
    private @Nullable RuntimeException failure;

    /** A cleaner that is paused. */
    Cleaner(RecordPurger store) {
        this.store = store;
        thread.setDaemon(true);
        thread.start();
    }

    /** Begins, and returns once a batch is under way. */
    synchronized void resume() {
        wanted = true;
        notifyAll();
        awaitBusy(true);
    }

    /** Returns once the batch that is under way has ended; none follows. */
    synchronized void pause() {
        wanted = false;
        awaitBusy(false);
    }

    private synchronized void awaitBusy(boolean as) {
        try {
            while (busy != as && failure == null) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        try {
            while (next()) {
                long began = System.nanoTime();
                int gone = store.purge(BATCH).deleted();
                if (gone == 0) {
                    throw new IllegalStateException(
                            "Nothing is left to purge: begin with more, or measure fewer pairs");
                }
                deleted.addAndGet(gone);
                TimeUnit.NANOSECONDS.sleep(Math.min(LONGEST_REST, System.nanoTime() - began));
            }
        } catch (RuntimeException e) {
            fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until a batch is wanted; false at the end. */
    private synchronized boolean next() throws InterruptedException {
        while (!wanted && !closed) {
            busy = false;
            notifyAll();
            wait();
        }
        busy = !closed;
        notifyAll();
        return busy;
    }

    private synchronized void fail(RuntimeException e) {
        failure = e;
        notifyAll();
    }

    /** How many records have gone so far. */
    long deleted() {
        return deleted.get();
    }

    /** Throws what ended the cleaning, if something did. */
    synchronized void check() {
        if (failure != null) {
            throw new IllegalStateException("the cleaner ended", failure);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            wanted = false;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
