package io.oncegate.boot;

import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Chooses the store of claimed records. Without one the start is refused: memory is never chosen silently. */
final class StoreChoice {
    private static final String REMEDY =
            "Add Redis (oncegate-redis, and oncegate.redis.uri or spring.data.redis.*), or a"
                    + " database (oncegate-jdbc, and spring.datasource.*; of several DataSource beans one is primary). For"
                    + " tests and samples on a single node say oncegate.store=memory";

    private StoreChoice() {}

    static RecordStore choose(StoreKind wanted, List<StoreSource> sources) {
        if (wanted == StoreKind.MEMORY) {
            return new MemoryRecordStore();
        }
        StoreSource found = wanted == StoreKind.AUTO ? first(sources) : of(wanted, sources);
        if (found == null) {
            throw wanted == StoreKind.AUTO
                    ? new MissingStoreException("has no store for its records", REMEDY)
                    : new MissingStoreException(
                            "cannot use oncegate.store=" + wanted.name().toLowerCase(Locale.ROOT), remedy(wanted));
        }
        return found.store().get();
    }

    private static @Nullable StoreSource first(List<StoreSource> sources) {
        StoreSource redis = of(StoreKind.REDIS, sources);
        return redis == null ? of(StoreKind.JDBC, sources) : redis;
    }

    private static @Nullable StoreSource of(StoreKind kind, List<StoreSource> sources) {
        return sources.stream()
                .filter(source -> source.kind() == kind)
                .findFirst()
                .orElse(null);
    }

    private static String remedy(StoreKind wanted) {
        return wanted == StoreKind.REDIS
                ? "Add oncegate-redis and Lettuce, and say where Redis is: oncegate.redis.uri, or spring.data.redis.* with"
                        + " spring-data-redis"
                : "Add oncegate-jdbc, and a DataSource: spring.datasource.* with spring-boot-starter-jdbc; of several"
                        + " DataSource beans one is primary";
    }
}
