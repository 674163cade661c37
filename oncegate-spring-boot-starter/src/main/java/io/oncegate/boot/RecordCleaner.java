package io.oncegate.boot;

import io.oncegate.core.error.StoreUnavailableException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what a database keeps no longer than it has to, in small batches, on a thread of its own. It rests after each batch
 * for as long as that took, so that a large backlog leaves the database to its callers. A database that is away is asked again
 * the next time. Several instances may clean at once.
 */
final class RecordCleaner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordCleaner.class);

    private static final long LONGEST_REST = TimeUnit.SECONDS.toNanos(1);

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread cleaner = new Thread(task, "oncegate-cleaner");
        cleaner.setDaemon(true);
        return cleaner;
    });
    private final IntPredicate batch;
    private final int batchSize;

    /**
     * Begins to clean.
     *
     * @param batch removes at most so many rows, and says whether there may be more
     */
    RecordCleaner(IntPredicate batch, PurgeSettings settings) {
        this.batch = batch;
        this.batchSize = settings.batch();
        if (settings.isEnabled()) {
            long pause = settings.pause().toMillis();
            ScheduledFuture<?> unused = thread.scheduleWithFixedDelay(this::clean, pause, pause, TimeUnit.MILLISECONDS);
        }
    }

    private void clean() {
        try {
            long began = System.nanoTime();
            while (!thread.isShutdown() && batch.test(batchSize)) {
                LOG.debug("Removed a batch of old rows");
                TimeUnit.NANOSECONDS.sleep(Math.min(LONGEST_REST, System.nanoTime() - began));
                began = System.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        } catch (StoreUnavailableException e) {
            LOG.warn("Old rows stay for now: {}", e.getMessage());
        } catch (RuntimeException e) {
            // an exception would end the schedule
            LOG.error("Old rows could not be removed", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
