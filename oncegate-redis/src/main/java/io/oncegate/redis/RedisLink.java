package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to Redis: a connection that somebody else owns, or one of its own, opened by the first call that needs it and, if
 * that fails, by a later one. Thread-safe.
 */
final class RedisLink<C extends StatefulConnection<byte[], byte[]>> implements AutoCloseable {
    /** A server that holds keys of its own. */
    record Node(String id, RedisClusterAsyncCommands<byte[], byte[]> commands) {}

    private final AtomicReference<CompletableFuture<C>> connection;
    private final @Nullable Supplier<? extends CompletionStage<? extends C>> connector;
    private final Function<C, RedisClusterAsyncCommands<byte[], byte[]>> commands;
    private final Nodes<C> nodes;
    private volatile boolean closed;

    /** Finds the servers behind a connection. */
    private interface Nodes<C> {
        List<Node> of(C connection, Deadline deadline);
    }

    private RedisLink(
            @Nullable C given,
            @Nullable Supplier<? extends CompletionStage<? extends C>> connector,
            Function<C, RedisClusterAsyncCommands<byte[], byte[]>> commands,
            Nodes<C> nodes) {
        this.connector = connector;
        this.commands = commands;
        this.nodes = nodes;
        this.connection = new AtomicReference<>(
                given == null ? failed("not connected yet") : CompletableFuture.completedFuture(given));
    }

    static RedisLink<?> single(
            @Nullable StatefulRedisConnection<byte[], byte[]> given,
            @Nullable Supplier<? extends CompletionStage<StatefulRedisConnection<byte[], byte[]>>> connector) {
        return new RedisLink<StatefulRedisConnection<byte[], byte[]>>(
                given,
                connector,
                StatefulRedisConnection::async,
                (connection, deadline) -> List.of(new Node("0", connection.async())));
    }

    static RedisLink<?> cluster(
            @Nullable StatefulRedisClusterConnection<byte[], byte[]> given,
            @Nullable Supplier<? extends CompletionStage<StatefulRedisClusterConnection<byte[], byte[]>>> connector) {
        return new RedisLink<StatefulRedisClusterConnection<byte[], byte[]>>(
                given, connector, StatefulRedisClusterConnection::async, RedisLink::masters);
    }

    private static List<Node> masters(StatefulRedisClusterConnection<byte[], byte[]> connection, Deadline deadline) {
        return connection.getPartitions().stream()
                .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
                .map(RedisClusterNode::getNodeId)
                .sorted(Comparator.naturalOrder())
                .map(id -> new Node(
                        id, deadline.await(connection.getConnectionAsync(id)).async()))
                .toList();
    }

    /** The commands of the connection. */
    RedisClusterAsyncCommands<byte[], byte[]> commands(Deadline deadline) {
        return commands.apply(connection(deadline));
    }

    /** The servers that hold keys, in an order that stays the same. */
    List<Node> nodes(Deadline deadline) {
        return nodes.of(connection(deadline), deadline);
    }

    private CompletableFuture<C> current() {
        return Objects.requireNonNull(connection.get());
    }

    private C connection(Deadline deadline) {
        CompletableFuture<C> present = current();
        if (present.isCompletedExceptionally() && connector != null) {
            present = reconnect(present, connector);
        }
        // never cancelled: other calls wait for it too
        return deadline.await(present);
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

    /** Closes the connection if it is the link's own. */
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
