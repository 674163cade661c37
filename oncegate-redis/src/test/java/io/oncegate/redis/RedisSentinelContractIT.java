package io.oncegate.redis;

import io.oncegate.testsupport.RedisServers;

class RedisSentinelContractIT extends RedisStoreTck {
    @Override
    RedisBackend connect(Handles with, RedisOptions options) {
        return with.backend(RedisServers.sentinel().uri(), options);
    }
}
