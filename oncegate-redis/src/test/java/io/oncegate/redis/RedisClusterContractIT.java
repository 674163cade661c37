package io.oncegate.redis;

import io.oncegate.testsupport.RedisServers;

class RedisClusterContractIT extends RedisStoreTck {
    @Override
    RedisBackend connect(Handles with, RedisOptions options) {
        return with.backend(RedisServers.cluster(), options);
    }
}
