package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that somebody else owns, or one of its own, opened by the first call that needs it and, if that fails, by a
 * later one. Thread-safe.
 */
final class LazyConnection<C extends StatefulConnection<?, ?>> implements AutoCloseable {
    private final AtomicReference<CompletableFuture<C>> connection;
    private final @Nullable Supplier<? extends CompletionStage<? extends C>> connector;
    private volatile boolean closed;

    LazyConnection(@Nullable C given, @Nullable Supplier<? extends CompletionStage<? extends C>> connector) {
        this.connector = connector;
        this.connection = new AtomicReference<>(
                given == null ? failed("not connected yet") : CompletableFuture.completedFuture(given));
    }

    private CompletableFuture<C> current() {
        return Objects.requireNonNull(connection.get());
    }

    /** The connection, opened if there is none. */
    C get(Deadline deadline) {
        CompletableFuture<C> present = current();
        if (present.isCompletedExceptionally() && connector != null) {
            present = reconnect(present, connector);
        }
        // never cancelled: other calls wait for it too
        return deadline.await(present);
    }

    /** The connection if it is open. */
    @Nullable
    C present() {
        CompletableFuture<C> present = current();
        return present.isDone() && !present.isCompletedExceptionally() ? present.join() : null;
    }

    private CompletableFuture<C> reconnect(
            CompletableFuture<C> failed, Supplier<? extends CompletionStage<? extends C>> opener) {
        CompletableFuture<C> next = new CompletableFuture<>();
        if (closed || !connection.compareAndSet(failed, next)) {
            return current();
        }
        try {
            opener.get().whenComplete((opened, failure) -> {
                if (failure != null) {
                    next.completeExceptionally(failure);
                } else {
                    next.complete(opened);
                    if (closed) {
                        closeNow(opened);
                    }
                }
            });
        } catch (RuntimeException e) {
            next.completeExceptionally(e);
        }
        return next;
    }

    /** Closes the connection if it is one of its own. */
    @Override
    public void close() {
        if (connector != null) {
            closed = true;
            CompletableFuture<C> last = connection.getAndSet(failed("closed"));
            if (last.isDone() && !last.isCompletedExceptionally()) {
                closeNow(last.join());
            }
        }
    }

    private static void closeNow(StatefulConnection<?, ?> connection) {
        var unused = connection.closeAsync();
    }

    private static <C> CompletableFuture<C> failed(String why) {
        return CompletableFuture.failedFuture(new RedisException(why));
    }
}
