package io.oncegate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/** Redis without persistence, which is the fastest that it has and so the hardest to stay close to. */
final class RedisGroup implements Group {
    private static final Pattern CPU = Pattern.compile("(?m)^used_cpu_(?:sys|user):([0-9.]+)");
    private static final Pattern VERSION = Pattern.compile("(?m)^redis_version:(\\S+)");

    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final StatefulRedisConnection<byte[], byte[]> operator = connect(server.uri());
    private final Relay relay = new Relay(server.host(), server.port());
    private final RedisPaths direct;
    private final RedisPaths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    RedisGroup(Plan plan) {
        direct = new RedisPaths(connect(server.uri()), plan.prefilled());
        relayed = new RedisPaths(connect(RedisURI.create("127.0.0.1", relay.port())), 4);
        rows = direct.rows(plan.threads());
        roundTrips = new RoundTrips(relayed.rows(1), relay);
    }

    private StatefulRedisConnection<byte[], byte[]> connect(RedisURI uri) {
        return client.connect(ByteArrayCodec.INSTANCE, uri);
    }

    @Override
    public String about() {
        var version = VERSION.matcher(operator.sync().info("server"));
        return "redis: " + (version.find() ? version.group(1) : "?")
                + ", no persistence, loopback, one connection for all threads";
    }

    @Override
    public List<Row> rows() {
        return rows;
    }

    @Override
    public RoundTrips roundTrips() {
        return roundTrips;
    }

    @Override
    public LongSupplier serverCpu() {
        return cpu(operator);
    }

    /** The server's CPU time so far in microseconds. */
    static LongSupplier cpu(StatefulRedisConnection<byte[], byte[]> connection) {
        return () -> CPU.matcher(connection.sync().info("cpu"))
                .results()
                .mapToLong(part -> Math.round(Double.parseDouble(part.group(1)) * 1e6))
                .sum();
    }

    @Override
    public void clean() throws Exception {
        direct.clean();
        relayed.clean();
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        operator.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        relay.close();
        server.close();
    }
}
