package io.oncegate.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/** Lock stores on each kind of Redis. */
class RedisLockStoreContractIT {
    @Nested
    class Standalone extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.standalone().uri(), options);
        }
    }

    @Nested
    class OnRedis7 extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            Optional<RedisServer> server = RedisServers.redis7();
            assumeTrue(server.isPresent(), "no Redis 7: install redis-server or set ONCEGATE_TEST_REDIS7");
            return with.backend(server.orElseThrow().uri(), options);
        }
    }

    @Nested
    class BySentinel extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.sentinel().uri(), options);
        }
    }

    @Nested
    class InACluster extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return RedisBackend.connecting(with.client(RedisServers.cluster()), options);
        }
    }
}
