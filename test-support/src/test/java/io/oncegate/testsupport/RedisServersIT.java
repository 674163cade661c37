package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedisServersIT {

    @Test
    void standaloneAnswers() {
        assertRoundTrip(RedisServers.standalone().uri());
    }

    @Test
    void sharedServerIsNotStopped() {
        assertThatThrownBy(() -> RedisServers.standalone().stop()).hasMessageContaining("own()");
    }

    @Test
    void durableServerKeepsItsDataOverAKill() throws Exception {
        try (RedisServer server = RedisServers.ownDurable()) {
            assertThat(server.send("SET k v")).isEqualTo("OK");
            server.kill();
            assertThatThrownBy(() -> server.send("GET k")).isInstanceOf(java.io.IOException.class);
            server.start();
            assertThat(server.send("GET k")).isEqualTo("v");
        }
    }

    @Test
    void plainServerForgetsOnRestartOnTheSamePort() throws Exception {
        try (RedisServer server = RedisServers.own()) {
            server.send("SET k v");
            server.stop();
            server.start();
            assertThat(server.send("GET k")).isEmpty();
        }
    }

    @Test
    void sentinelAnswers() {
        assertRoundTrip(RedisServers.sentinel().uri());
    }

    @Test
    void sentinelFailsOver() {
        try (RedisSentinels group = RedisServers.ownSentinel()) {
            int before = group.masterPortNow();
            assertThat(before).isEqualTo(group.master().port());
            group.master().kill();
            Await.until("fail-over", Duration.ofSeconds(60), () -> group.masterPortNow() != before);
        }
    }

    @Test
    void clusterAnswersInEverySlotRange() {
        try (RedisClusterClient client =
                        RedisClusterClient.create(RedisServers.cluster().uris());
                var connection = client.connect()) {
            for (int i = 0; i < 100; i++) {
                connection.sync().set("k" + i, "v" + i);
                assertThat(connection.sync().get("k" + i)).isEqualTo("v" + i);
            }
        }
    }

    @Test
    void clusterReplicaTakesOver() {
        try (RedisCluster cluster = RedisServers.ownCluster()) {
            cluster.masters().get(0).kill();
            Await.until(
                    "take-over",
                    Duration.ofMinutes(3),
                    () -> cluster.replicas().get(0).send("INFO replication").contains("role:master"));
        }
    }

    @Test
    void redisSevenAnswersWhereInstalled() {
        Optional<RedisServer> server = RedisServers.redis7();
        assumeTrue(
                server.isPresent(),
                "Redis 7 is not installed (package redis-server) nor named by ONCEGATE_TEST_REDIS7");
        assertRoundTrip(server.orElseThrow().uri());
    }

    private static void assertRoundTrip(RedisURI uri) {
        try (RedisClient client = RedisClient.create(uri);
                var connection = client.connect()) {
            assertThat(connection.sync().set("test-support", "v")).isEqualTo("OK");
            assertThat(connection.sync().get("test-support")).isEqualTo("v");
        }
    }
}
