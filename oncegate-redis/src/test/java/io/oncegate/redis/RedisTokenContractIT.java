package io.oncegate.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/** Tokens on each kind of Redis; C01's 500 rounds on one of them. */
class RedisTokenContractIT {
    @Nested
    class Standalone extends RedisTokenTck {
        Standalone() {
            super(500, 100_000);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.standalone().uri(), options);
        }
    }

    @Nested
    class OnRedis7 extends RedisTokenTck {
        OnRedis7() {
            super(10, 1_000);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            Optional<RedisServer> server = RedisServers.redis7();
            assumeTrue(server.isPresent(), "no Redis 7: install redis-server or set ONCEGATE_TEST_REDIS7");
            return with.backend(server.orElseThrow().uri(), options);
        }
    }

    @Nested
    class BySentinel extends RedisTokenTck {
        BySentinel() {
            super(10, 1_000);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.sentinel().uri(), options);
        }
    }

    @Nested
    class InACluster extends RedisTokenTck {
        InACluster() {
            super(20, 2_000);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.cluster(), options);
        }
    }
}
