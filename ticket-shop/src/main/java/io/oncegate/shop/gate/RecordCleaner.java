package io.oncegate.shop.gate;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordPurger;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Removes records whose retention is over from the database, in small batches. Redis forgets by itself. */
@Component
class RecordCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(RecordCleaner.class);
    private static final int BATCH = 500;

    private final RecordPurger purger;

    RecordCleaner(RecordPurger purger) {
        this.purger = purger;
    }

    @Scheduled(initialDelay = 10, fixedDelay = 10, timeUnit = TimeUnit.MINUTES)
    void clean() {
        try {
            while (!purger.purge(BATCH).isEmpty()) {
                LOG.debug("Removed a batch of old records");
            }
        } catch (StoreUnavailableException e) {
            LOG.warn("Old records stay for now: {}", e.getMessage());
        }
    }
}
