package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.oncegate.core.error.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The bound of one call, over all that the call has to wait for. Waits hold no monitor. */
final class Deadline {
    private final String store;
    private final Duration timeout;
    private final long end;

    private Deadline(String store, Duration timeout) {
        this.store = store;
        this.timeout = timeout;
        this.end = System.nanoTime() + timeout.toNanos();
    }

    /** A bound that begins now. */
    static Deadline in(String store, Duration timeout) {
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(store, null);
        }
        return new Deadline(store, timeout);
    }

    /**
     * Waits for an answer.
     *
     * @throws StoreUnavailableException if there is none in time, or the thread is interrupted
     * @throws RedisException as Lettuce reports it
     */
    <T> T await(Future<T> future) {
        try {
            return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    store,
                    "no answer within " + timeout
                            + "; the call may have had its effect: send it again by the same attempt,"
                            + " and look at Redis and the network",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(store, e);
        } catch (CancellationException e) {
            throw new RedisException("cancelled", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof RedisException redis ? redis : new RedisException(cause);
        }
    }

    private static StoreUnavailableException interrupted(
            String store, @org.jspecify.annotations.Nullable InterruptedException e) {
        return new StoreUnavailableException(
                store,
                "interrupted; the call may have had its effect: send it again by the same attempt, from a thread that is"
                        + " not interrupted",
                e);
    }
}
