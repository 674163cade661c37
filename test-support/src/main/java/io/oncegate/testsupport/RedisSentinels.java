package io.oncegate.testsupport;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One Redis master, two replicas and the three sentinels that watch them. */
public final class RedisSentinels implements AutoCloseable {

    /** The name that the sentinels know the master by. */
    public static final String MASTER = "oncegate";

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    /**
     * Starts the group.
     *
     * @param downAfterMillis for how long a server has to be silent to count as down; short where it is to be failed over,
     *     and long where a machine that stands still must not fail it over
     */
    RedisSentinels(String program, int downAfterMillis) {
        RedisServer master = RedisServer.launch(program, FreePorts.next(), false, List.of());
        servers.add(master);
        for (int i = 0; i < 2; i++) {
            String follow = "replicaof 127.0.0.1 " + master.port();
            servers.add(RedisServer.launch(program, FreePorts.next(), false, List.of(follow)));
        }
        for (RedisServer replica : replicas()) {
            Await.until(
                    "replica follows",
                    Duration.ofSeconds(60),
                    () -> replica.send("INFO replication").contains("master_link_status:up"));
        }
        for (int i = 0; i < 3; i++) {
            int port = FreePorts.next();
            sentinels.add(
                    RedisServer.launchSentinel(program, port, configuration(port, master.port(), downAfterMillis)));
        }
        awaitComplete();
    }

    private static Path configuration(int port, int masterPort, int downAfterMillis) {
        String text = """
                port %1$d
                bind 127.0.0.1
                dir %4$s
                sentinel monitor %3$s 127.0.0.1 %2$d 2
                sentinel down-after-milliseconds %3$s %5$d
                sentinel failover-timeout %3$s 5000
                sentinel parallel-syncs %3$s 1
                """;
        Path directory = ProcessGuard.directory("sentinel");
        try {
            return Files.writeString(
                    directory.resolve("sentinel.conf"),
                    text.formatted(port, masterPort, MASTER, directory, downAfterMillis));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitComplete() {
        for (RedisServer sentinel : sentinels) {
            Await.until("sentinel knows all", Duration.ofSeconds(60), () -> {
                String info = sentinel.send("INFO sentinel");
                return info.contains("status=ok") && info.contains("slaves=2,sentinels=3");
            });
        }
    }

    /** The address for Lettuce: all sentinels and the name of the master. */
    public RedisURI uri() {
        RedisURI.Builder builder = RedisURI.Builder.sentinel(
                sentinels.get(0).host(), sentinels.get(0).port(), MASTER);
        sentinels.stream().skip(1).forEach(s -> builder.withSentinel(s.host(), s.port()));
        return builder.build();
    }

    /** The server that was the master when this was built. */
    public RedisServer master() {
        return servers.get(0);
    }

    /** The servers that were replicas when this was built. */
    public List<RedisServer> replicas() {
        return List.copyOf(servers.subList(1, servers.size()));
    }

    /** The sentinels. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** The port of the server that is the master now, as the first sentinel that answers sees it. */
    public int masterPortNow() {
        for (RedisServer sentinel : sentinels) {
            try {
                String info = sentinel.send("INFO sentinel");
                String address = info.substring(info.indexOf("address=") + 8);
                return Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf(',')));
            } catch (IOException down) {
                continue;
            }
        }
        throw new IllegalStateException("No sentinel answers");
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
