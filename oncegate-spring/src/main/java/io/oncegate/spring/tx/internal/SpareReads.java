package io.oncegate.spring.tx.internal;

import io.oncegate.core.error.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads on a second connection of the caller's thread, for one caller at a time: the pool needs one connection more than there
 * are callers. Thread-safe.
 */
final class SpareReads {
    private final TransactionTemplate fresh;
    private final Duration wait;
    private final Semaphore turn = new Semaphore(1, true);

    SpareReads(TransactionTemplate fresh, Duration wait) {
        this.fresh = fresh;
        this.wait = wait;
    }

    <T> @Nullable T read(Supplier<@Nullable T> work) {
        boolean mine = false;
        try {
            mine = turn.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
            if (!mine) {
                throw none(null);
            }
            return fresh.execute(status -> work.get());
        } catch (CannotCreateTransactionException e) {
            throw none(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw none(e);
        } finally {
            if (mine) {
                turn.release();
            }
        }
    }

    private static StoreUnavailableException none(@Nullable Exception cause) {
        return new StoreUnavailableException(
                "jdbc",
                "there was no spare connection to read the row that is newer than the"
                        + " transaction's snapshot; give the pool one connection more than there are callers, or use READ COMMITTED",
                Comparison.newerThanSnapshot(cause));
    }
}
