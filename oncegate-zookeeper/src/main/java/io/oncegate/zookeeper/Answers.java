package io.oncegate.zookeeper;

import io.oncegate.core.error.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/** Waits for the ensemble's answers, and says what it means that there is none. Thread-safe. */
final class Answers {
    private final String store;
    private final Duration timeout;

    Answers(String store, Duration timeout) {
        this.store = store;
        this.timeout = timeout;
    }

    /** How long one question may take. */
    Duration timeout() {
        return timeout;
    }

    /**
     * Waits for an answer.
     *
     * @param deadline until when, by the monotonic clock
     * @throws StoreUnavailableException if there is none
     * @throws InterruptedException if the thread is interrupted; the flag is cleared
     */
    <T> T await(CompletableFuture<T> answer, long deadline) throws InterruptedException {
        try {
            return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw down("no answer within " + timeout + "; look at the ensemble and the network", e);
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        }
    }

    /** As {@link #await}, for one question, on a thread whose interrupt flag stays set. */
    <T> T awaitOne(CompletableFuture<T> answer) {
        try {
            return await(answer, System.nanoTime() + timeout.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    StoreUnavailableException interrupted(@Nullable InterruptedException e) {
        return down("interrupted; ask again from a thread that is not interrupted", e);
    }

    StoreUnavailableException down(String message, @Nullable Throwable cause) {
        return new StoreUnavailableException(store, message, cause);
    }

    private StoreUnavailableException failed(@Nullable Throwable cause) {
        if (cause instanceof KeeperException.NoAuthException) {
            return down(
                    "access is denied; let the client's authentication create, read and delete below the base path",
                    cause);
        } else if (cause instanceof IllegalStateException) {
            return down("the Curator client is not running; start it, and close the locks before it", cause);
        }
        String code = cause instanceof KeeperException failure ? failure.code().name() : String.valueOf(cause);
        return down("the ensemble gave no answer (" + code + "); look at the ensemble and the network", cause);
    }
}
