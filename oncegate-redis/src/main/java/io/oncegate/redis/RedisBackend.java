package io.oncegate.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockStore;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Redis (standalone, Sentinel or Cluster) and how to use it: what the Redis store, lock and tokens are made of.
 * Thread-safe; one connection serves all threads.
 *
 * <p>The backend bounds every call by itself, so that it is safe with Lettuce's defaults. These client options make a
 * failure show sooner, and are recommended:
 *
 * <ul>
 *   <li>{@code autoReconnect(true)}, the default, and {@code disconnectedBehavior(REJECT_COMMANDS)}: without a connection a
 *       call fails at once instead of at its timeout.
 *   <li>{@code SocketOptions} with a connect timeout of about the call's, keep-alive, and a TCP user timeout of a few
 *       seconds: a line that is dead without being closed is given up and opened anew.
 *   <li>In a cluster, {@code ClusterTopologyRefreshOptions} with periodic refresh beside the adaptive triggers, which
 *       are on by default: after a master's death the client learns of the new one.
 * </ul>
 *
 * <p>Writes go to masters only. Leave the connection's {@code ReadFrom} at its default, upstream: a replica may lag behind
 * and show operators an older record. Give the connection to nobody who sends MULTI or blocking commands on it.
 */
public final class RedisBackend implements AutoCloseable {
    private static final Pattern POLICY = Pattern.compile("(?m)^maxmemory_policy:(\\S+)");

    private final RedisLink<?> link;
    private final @Nullable RedisSignals signals;
    private final RedisOptions options;
    private final String name;

    private RedisBackend(RedisLink<?> link, @Nullable RedisSignals signals, RedisOptions options) {
        this.link = link;
        this.signals = signals;
        this.options = options;
        this.name = "redis:" + options.prefix();
    }

    /** Uses a connection to one server, or to a Sentinel's master, that the caller owns and closes. */
    public static RedisBackend of(StatefulRedisConnection<byte[], byte[]> connection, RedisOptions options) {
        return new RedisBackend(RedisLink.single(connection, null), null, options);
    }

    /** Uses a connection to a cluster that the caller owns and closes. */
    public static RedisBackend of(StatefulRedisClusterConnection<byte[], byte[]> connection, RedisOptions options) {
        return new RedisBackend(RedisLink.cluster(connection, null), null, options);
    }

    /**
     * As {@link #of(StatefulRedisConnection, RedisOptions)}, with a second connection by which those who wait for a lock hear
     * that it is free. The caller owns and closes both; without a second one they poll.
     */
    public static RedisBackend of(
            StatefulRedisConnection<byte[], byte[]> connection,
            StatefulRedisPubSubConnection<byte[], byte[]> signals,
            RedisOptions options) {
        return new RedisBackend(RedisLink.single(connection, null), RedisSignals.on(signals), options);
    }

    /**
     * As {@link #of(StatefulRedisClusterConnection, RedisOptions)}, with a second connection by which those who wait for a
     * lock hear that it is free. The caller owns and closes both; without a second one they poll.
     */
    public static RedisBackend of(
            StatefulRedisClusterConnection<byte[], byte[]> connection,
            StatefulRedisPubSubConnection<byte[], byte[]> signals,
            RedisOptions options) {
        return new RedisBackend(RedisLink.cluster(connection, null), RedisSignals.on(signals), options);
    }

    /**
     * Opens a connection of its own to one server, or to a Sentinel's master, when the first call needs it, and a second one
     * when somebody has to wait for a lock. The caller owns the client. Redis may be down at the start: calls fail until it is
     * there.
     */
    public static RedisBackend connecting(RedisClient client, RedisURI uri, RedisOptions options) {
        return new RedisBackend(
                RedisLink.single(null, () -> client.connectAsync(ByteArrayCodec.INSTANCE, uri)),
                RedisSignals.by(() -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri)),
                options);
    }

    /**
     * Opens a connection of its own to a cluster when the first call needs it, and a second one when somebody has to wait for
     * a lock. The caller owns the client. The cluster may be down at the start: calls fail until it is there.
     */
    public static RedisBackend connecting(RedisClusterClient client, RedisOptions options) {
        return new RedisBackend(
                RedisLink.cluster(
                        null,
                        () -> client.refreshPartitionsAsync()
                                .thenCompose(done -> client.connectAsync(ByteArrayCodec.INSTANCE))),
                RedisSignals.by(() -> client.refreshPartitionsAsync()
                        .thenCompose(done -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE))),
                options);
    }

    /** The options. */
    public RedisOptions options() {
        return options;
    }

    /** What Redis does when its memory is full: for a check at the start and for health reports. Never throws. */
    public EvictionPolicy evictionPolicy() {
        try {
            List<String> policies = call(deadline -> link.nodes(deadline).stream()
                    .map(node -> deadline.await(node.commands().info("memory")))
                    .map(RedisBackend::policyIn)
                    .toList());
            return policies.stream()
                    .filter(policy -> !policy.equals("noeviction"))
                    .findFirst()
                    .or(() -> policies.stream().findFirst())
                    .<EvictionPolicy>map(EvictionPolicy.Known::new)
                    .orElseGet(() -> new EvictionPolicy.Unreadable("no master is known"));
        } catch (StoreUnavailableException e) {
            return new EvictionPolicy.Unreadable(String.valueOf(e.getMessage()));
        }
    }

    private static String policyIn(String info) {
        Matcher policy = POLICY.matcher(info);
        if (!policy.find()) {
            throw new RedisException("INFO memory shows no maxmemory_policy");
        }
        return policy.group(1);
    }

    /** Closes the connections that are this backend's own. */
    @Override
    public void close() {
        link.close();
        if (signals != null) {
            signals.close();
        }
    }

    /** The name for messages. */
    String name() {
        return name;
    }

    RedisLink<?> link() {
        return link;
    }

    /** Runs this whenever the channel is signalled, once this has returned; null if that cannot be had now. */
    LockStore.@Nullable Watch watch(byte[] channel, Runnable wake) {
        return signals == null ? null : signals.watch(channel, wake, name, options.timeout());
    }

    /**
     * Does what has to be done within one bound.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    <T> T call(Function<Deadline, T> work) {
        try {
            return work.apply(Deadline.in(name, options.timeout()));
        } catch (RedisException | RejectedExecutionException | IllegalStateException e) {
            // the last two: the client was shut down
            throw new StoreUnavailableException(
                    name, "Redis failed: " + e.getMessage() + "; look at Redis and the network", e);
        }
    }

    /** Sends a script without waiting for its answer. */
    Sent send(RedisScript script, Consumer<CommandArgs<byte[], byte[]>> arguments, Deadline deadline) {
        return new Sent(dispatch(CommandType.EVALSHA, script.digest(), arguments, deadline), script, arguments);
    }

    private RedisFuture<byte[]> dispatch(
            CommandType type, byte[] script, Consumer<CommandArgs<byte[], byte[]>> arguments, Deadline deadline) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(script);
        arguments.accept(args);
        return link.commands(deadline).dispatch(type, new ValueOutput<>(ByteArrayCodec.INSTANCE), args);
    }

    /** A script that is under way. */
    final class Sent {
        private final RedisFuture<byte[]> answer;
        private final RedisScript script;
        private final Consumer<CommandArgs<byte[], byte[]>> arguments;

        private Sent(RedisFuture<byte[]> answer, RedisScript script, Consumer<CommandArgs<byte[], byte[]>> arguments) {
            this.answer = answer;
            this.script = script;
            this.arguments = arguments;
        }

        /** Waits for the answer; a server that does not know the script, after a restart or a fail-over, is sent it. */
        byte[] await(Deadline deadline) {
            try {
                return await(answer, deadline);
            } catch (RedisNoScriptException unknown) {
                return await(dispatch(CommandType.EVAL, script.text(), arguments, deadline), deadline);
            }
        }

        private byte[] await(RedisFuture<byte[]> future, Deadline deadline) {
            try {
                return deadline.await(future);
            } catch (StoreUnavailableException e) {
                // a command that still waits for a connection must not be sent once nobody waits for it
                future.cancel(false);
                throw e;
            }
        }
    }
}
