package io.oncegate.boot;

import io.oncegate.redis.EvictionPolicy;
import io.oncegate.redis.RedisBackend;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/** Says at start-up if Redis may drop records and locks under memory pressure, or if that cannot be read. */
final class EvictionReport implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(EvictionReport.class);

    private final RedisBackend backend;

    EvictionReport(RedisBackend backend) {
        this.backend = backend;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        String warning = warning(backend.evictionPolicy());
        if (warning != null) {
            LOG.warn("{}", warning);
        }
    }

    /** What an operator has to know of this policy, or null. */
    static @Nullable String warning(EvictionPolicy policy) {
        if (policy instanceof EvictionPolicy.Unreadable unreadable) {
            return "Whether Redis evicts records and locks cannot be read: " + unreadable.reason();
        }
        return policy instanceof EvictionPolicy.Known known && !known.keepsEverything()
                ? "Redis may drop records and locks under memory pressure (maxmemory-policy " + known.name()
                        + "): set noeviction, or guard the effects in the database too"
                : null;
    }
}
