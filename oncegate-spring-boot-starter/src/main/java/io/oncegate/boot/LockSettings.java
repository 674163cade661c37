package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code oncegate.locks}.
 *
 * @param store where locks are kept, unless there is a Locks or LockStore bean
 * @param zookeeperPath the node below which locks are kept in ZooKeeper, within the client's namespace
 * @param secondConnection whether a lock in the database may take a second connection inside a transaction of the caller's;
 *     the pool then has more connections than there are threads that do so
 * @param registry the LockRegistry of Spring Integration
 * @param fenceRetention how long the database remembers the fence of a key after it was raised last, by default 30 days
 */
public record LockSettings(
        @DefaultValue("auto") LockStoreKind store,
        @Nullable String zookeeperPath,
        boolean secondConnection,
        @DefaultValue RegistrySettings registry,
        @Nullable Duration fenceRetention) {
    /**
     * The properties under {@code oncegate.locks.registry}.
     *
     * @param enabled whether there is a LockRegistry bean, where Spring Integration is on the class path and the application
     *     has none
     * @param operation names the registry in the store: applications that share a store and not their locks choose others
     */
    public record RegistrySettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("integration.lock") String operation) {}

    private static final Duration DEFAULT_FENCE_RETENTION = Duration.ofDays(30);
    private static final Duration LEAST_FENCE_RETENTION = Duration.ofDays(1);

    /** Checks the bounds. */
    public LockSettings {
        if (fenceRetention != null && fenceRetention.compareTo(LEAST_FENCE_RETENTION) < 0) {
            throw new IllegalArgumentException(
                    "oncegate.locks.fence-retention is a day or more, not " + fenceRetention);
        }
    }

    Duration untouched() {
        return fenceRetention == null ? DEFAULT_FENCE_RETENTION : fenceRetention;
    }
}
