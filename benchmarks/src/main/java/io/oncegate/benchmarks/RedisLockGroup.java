package io.oncegate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Locks on Redis without persistence, ours and those of others. */
final class RedisLockGroup implements Group {
    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final RedisLockPeers peers = new RedisLockPeers(server.host(), server.port());
    private final Relay relay = new Relay(server.host(), server.port());
    private final RedisLockPeers relayedPeers = new RedisLockPeers("127.0.0.1", relay.port());
    private final RedisLockPaths direct = new RedisLockPaths(client, server.uri());
    private final RedisLockPaths relayed = new RedisLockPaths(client, RedisURI.create("127.0.0.1", relay.port()));
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    RedisLockGroup(Plan plan) {
        rows = direct.rows(plan.threads(), peers);
        roundTrips = new RoundTrips(relayed.rows(plan.threads(), relayedPeers), relay);
    }

    @Override
    public String about() {
        return "redis-locks: the same Redis, no persistence, loopback; ours on one connection for all threads, Redisson,"
                + " lock4j, ShedLock and Spring Integration with their default settings";
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
        return direct.serverCpu();
    }

    @Override
    public void clean() throws Exception {
        direct.clean();
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        peers.close();
        relayedPeers.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        relay.close();
        server.close();
    }
}
