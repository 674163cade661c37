package io.oncegate.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The way to Redis: a connection, and what it is for a single server or a cluster. Thread-safe. */
final class RedisLink<C extends StatefulConnection<byte[], byte[]>> implements AutoCloseable {
    /** A server that holds keys of its own. */
    record Node(String id, RedisClusterAsyncCommands<byte[], byte[]> commands) {}

    private final LazyConnection<C> connection;
    private final Function<C, RedisClusterAsyncCommands<byte[], byte[]>> commands;
    private final Nodes<C> nodes;

    /** Finds the servers behind a connection. */
    private interface Nodes<C> {
        List<Node> of(C connection, Deadline deadline);
    }

    private RedisLink(
            @Nullable C given,
            @Nullable Supplier<? extends CompletionStage<? extends C>> connector,
            Function<C, RedisClusterAsyncCommands<byte[], byte[]>> commands,
            Nodes<C> nodes) {
        this.connection = new LazyConnection<>(given, connector);
        this.commands = commands;
        this.nodes = nodes;
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
        return commands.apply(connection.get(deadline));
    }

    /** The servers that hold keys, in an order that stays the same. */
    List<Node> nodes(Deadline deadline) {
        return nodes.of(connection.get(deadline), deadline);
    }

    /** Closes the connection if it is the link's own. */
    @Override
    public void close() {
        connection.close();
    }
}
