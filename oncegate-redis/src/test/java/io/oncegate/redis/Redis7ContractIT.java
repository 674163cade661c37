package io.oncegate.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.Optional;

class Redis7ContractIT extends RedisStoreTck {
    @Override
    RedisBackend connect(Handles with, RedisOptions options) {
        Optional<RedisServer> server = RedisServers.redis7();
        assumeTrue(server.isPresent(), "no Redis 7: install redis-server or set ONCEGATE_TEST_REDIS7");
        return with.backend(server.orElseThrow().uri(), options);
    }
}
