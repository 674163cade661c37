package io.oncegate.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Lock stores on each kind of Redis, all at once. A resource of its own keeps the tests of one class one after the other.
 */
class RedisLockStoreContractIT {
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLockStoreTck Standalone")
    class Standalone extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.standalone().uri(), options);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLockStoreTck OnRedis7")
    class OnRedis7 extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            Optional<RedisServer> server = RedisServers.redis7();
            assumeTrue(server.isPresent(), "no Redis 7: install redis-server or set ONCEGATE_TEST_REDIS7");
            return with.backend(server.orElseThrow().uri(), options);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLockStoreTck BySentinel")
    class BySentinel extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.sentinel().uri(), options);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLockStoreTck InACluster")
    class InACluster extends RedisLockStoreTck {
        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return RedisBackend.connecting(with.client(RedisServers.cluster()), options);
        }
    }
}
