package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The properties under {@code oncegate.redis}.
 *
 * @param uri Redis as Lettuce writes it, such as redis://host:6379 or redis-sentinel://host:26379#master; several, separated
 *     by commas, are nodes of one cluster. Without it the application's own Redis connection (spring.data.redis) is used.
 * @param cluster whether a single uri names a node of a cluster
 * @param prefix what the names of all keys begin with; applications that share a Redis choose different ones
 * @param timeout within which each call to Redis returns
 * @param purgeMargin how far Redis's clock has to have passed a record before it may go
 */
public record RedisSettings(
        @Nullable String uri,
        boolean cluster,
        @Nullable String prefix,
        @Nullable Duration timeout,
        @Nullable Duration purgeMargin) {
    /** Without the addresses, which may hold a password. */
    @Override
    public String toString() {
        return "RedisSettings[cluster=" + cluster + ", prefix=" + prefix + ", timeout=" + timeout + ", purgeMargin="
                + purgeMargin + "]";
    }
}
