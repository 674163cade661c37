package io.oncegate.boot;

import io.oncegate.boot.LadderSettings.NearCacheSettings;
import io.oncegate.caffeine.CachedRecordStore;
import io.oncegate.redis.RedisRecordStore;

/** Touches oncegate-caffeine, which an application may not have. */
final class NearCache {
    private NearCache() {}

    static FastRecords inFrontOf(RedisRecordStore redis, NearCacheSettings settings) {
        CachedRecordStore cached = CachedRecordStore.of(
                redis,
                settings.maxStaleness() == null ? CachedRecordStore.DEFAULT_MAX_STALENESS : settings.maxStaleness(),
                settings.maxSize() == null
                        ? CachedRecordStore.DEFAULT_MAX_BYTES
                        : settings.maxSize().toBytes());
        return new FastRecords(cached, cached);
    }
}
