package io.oncegate.boot;

import io.oncegate.redis.EvictionPolicy;
import io.oncegate.redis.RedisBackend;
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
        report();
    }

    void report() {
        EvictionPolicy policy = backend.evictionPolicy();
        if (policy instanceof EvictionPolicy.Unreadable unreadable) {
            LOG.warn("Whether Redis evicts records and locks cannot be read: {}", unreadable.reason());
        } else if (policy instanceof EvictionPolicy.Known known && !known.keepsEverything()) {
            LOG.warn(
                    "Redis may drop records and locks under memory pressure (maxmemory-policy {}): set noeviction, or guard"
                            + " the effects in the database too",
                    known.name());
        }
    }
}
