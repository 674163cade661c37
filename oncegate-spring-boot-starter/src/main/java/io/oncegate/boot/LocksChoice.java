package io.oncegate.boot;

import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Chooses where locks are kept. Without a store whoever needs them stops the start: memory is never chosen silently. */
final class LocksChoice {
    private static final String REMEDY =
            "Add Redis (oncegate-redis, and oncegate.redis.uri or spring.data.redis.*), or a database (oncegate-jdbc, and"
                    + " exactly one DataSource: spring.datasource.*), or a Locks bean of your own. For tests and samples on a"
                    + " single node say oncegate.locks.store=memory";

    private LocksChoice() {}

    static Locks choose(
            LockStoreKind wanted, StoreKind records, List<LocksSource> sources, List<LockListener> listeners) {
        LockStoreKind kind = wanted == LockStoreKind.AUTO ? likeRecords(records, sources) : wanted;
        if (kind == LockStoreKind.MEMORY) {
            return leased(new MemoryLockStore(), listeners);
        }
        LocksSource found = of(kind, sources);
        if (found == null) {
            throw kind == LockStoreKind.AUTO
                    ? new MissingStoreException("has no store for its locks, and something needs them", REMEDY)
                    : new MissingStoreException(
                            "cannot keep locks as "
                                    + (wanted == LockStoreKind.AUTO ? "oncegate.store=" : "oncegate.locks.store=")
                                    + kind.name().toLowerCase(Locale.ROOT) + " says",
                            remedy(kind));
        }
        return found.locks().apply(listeners);
    }

    static Locks leased(LockStore store, List<LockListener> listeners) {
        LeasedLocks.Builder locks = LeasedLocks.builder(store);
        listeners.forEach(locks::listener);
        return locks.build();
    }

    private static LockStoreKind likeRecords(StoreKind records, List<LocksSource> sources) {
        return switch (records) {
            case MEMORY -> LockStoreKind.MEMORY;
            case REDIS -> LockStoreKind.REDIS;
            case JDBC -> LockStoreKind.JDBC;
            case AUTO -> {
                if (of(LockStoreKind.REDIS, sources) != null) {
                    yield LockStoreKind.REDIS;
                }
                yield of(LockStoreKind.JDBC, sources) == null ? LockStoreKind.AUTO : LockStoreKind.JDBC;
            }
        };
    }

    private static @Nullable LocksSource of(LockStoreKind kind, List<LocksSource> sources) {
        return sources.stream()
                .filter(source -> source.kind() == kind)
                .findFirst()
                .orElse(null);
    }

    private static String remedy(LockStoreKind kind) {
        return switch (kind) {
            case REDIS ->
                "Add oncegate-redis and Lettuce, and say where Redis is: oncegate.redis.uri, or spring.data.redis.*"
                        + " with spring-data-redis";
            case JDBC -> "Add oncegate-jdbc, and exactly one DataSource, or a primary one: spring.datasource.*";
            default -> "Add oncegate-zookeeper, and exactly one CuratorFramework bean, started";
        };
    }
}
