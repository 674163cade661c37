package io.oncegate.testsupport;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Redis Cluster of three masters with one replica each. */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;
    private static final Duration WAIT = Duration.ofSeconds(60);

    private final List<RedisServer> nodes = new ArrayList<>();

    /**
     * Starts the nodes and joins them.
     *
     * @param nodeTimeoutMillis for how long a node has to be silent to count as down; short where it is to be failed over,
     *     and long where a machine that stands still must not fail it over
     */
    RedisCluster(String program, int nodeTimeoutMillis) {
        for (int i = 0; i < 2 * MASTERS; i++) {
            nodes.add(RedisServer.launch(
                    program,
                    FreePorts.nextForCluster(),
                    false,
                    List.of(
                            "cluster-enabled yes",
                            "cluster-node-timeout " + nodeTimeoutMillis,
                            "cluster-replica-validity-factor 0",
                            "appendonly yes")));
        }
        try {
            join();
        } catch (IOException e) {
            throw new IllegalStateException("The cluster was not joined", e);
        }
    }

    private void join() throws IOException {
        RedisServer first = nodes.get(0);
        for (RedisServer node : nodes) {
            if (node != first) {
                Resp.require(node.host(), node.port(), "CLUSTER MEET " + first.host() + " " + first.port());
            }
        }
        for (int m = 0; m < MASTERS; m++) {
            String slots = IntStream.range(SLOTS * m / MASTERS, SLOTS * (m + 1) / MASTERS)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(" "));
            Resp.require(nodes.get(m).host(), nodes.get(m).port(), "CLUSTER ADDSLOTS " + slots);
        }
        for (int m = 0; m < MASTERS; m++) {
            String id = nodes.get(m).send("CLUSTER MYID");
            RedisServer replica = nodes.get(MASTERS + m);
            Await.until(
                    "replica knows its master",
                    WAIT,
                    () -> replica.send("CLUSTER REPLICATE " + id).equals("OK"));
        }
        for (RedisServer node : nodes) {
            Await.until("cluster is whole", WAIT, () -> {
                String info = node.send("CLUSTER INFO");
                String links = node.send("CLUSTER NODES");
                return info.contains("cluster_state:ok")
                        && info.contains("cluster_known_nodes:" + nodes.size())
                        && links.lines().filter(l -> l.contains("slave")).count() == MASTERS;
            });
        }
        for (RedisServer replica : nodes.subList(MASTERS, nodes.size())) {
            Await.until(
                    "replica follows",
                    WAIT,
                    () -> replica.send("INFO replication").contains("master_link_status:up"));
        }
    }

    /** The addresses of all nodes, for Lettuce. */
    public List<RedisURI> uris() {
        return nodes.stream().map(RedisServer::uri).toList();
    }

    /** The nodes that were masters when this was built; the first holds slots 0 to 5460, and so on. */
    public List<RedisServer> masters() {
        return List.copyOf(nodes.subList(0, MASTERS));
    }

    /** The nodes that were replicas when this was built, in the order of their masters. */
    public List<RedisServer> replicas() {
        return List.copyOf(nodes.subList(MASTERS, nodes.size()));
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
