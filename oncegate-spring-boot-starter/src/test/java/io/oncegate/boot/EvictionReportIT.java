package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.redis.RedisOptions;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C23: a Redis that evicts is reported at start-up")
class EvictionReportIT {
    @Test
    void aPolicyThatEvictsIsReported() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy allkeys-lru")) {
            assertThat(warning(server)).contains("allkeys-lru", "noeviction");
        }
    }

    @Test
    void aPolicyThatCannotBeReadIsReported() {
        try (RedisServer server = RedisServers.own("rename-command INFO \"\"")) {
            assertThat(warning(server)).contains("cannot be read");
        }
    }

    @Test
    void aRedisThatKeepsEverythingIsNoNews() {
        try (RedisServer server = RedisServers.own()) {
            assertThat(warning(server)).isNull();
        }
    }

    private static @Nullable String warning(RedisServer server) {
        try (OwnRedis redis = OwnRedis.at(server.uri().toURI().toString(), false, RedisOptions.defaults())) {
            return EvictionReport.warning(redis.backend().evictionPolicy());
        }
    }
}
