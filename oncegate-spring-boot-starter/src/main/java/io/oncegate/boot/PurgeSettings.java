package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The properties under {@code oncegate.purge}: the removal of what a database keeps no longer than it has to.
 *
 * @param enabled whether this instance removes old records; several instances may do so at once
 * @param interval the pause between two rounds, by default 10 minutes
 * @param batchSize the most rows that one transaction removes, by default 500
 */
public record PurgeSettings(
        @Nullable Boolean enabled,
        @Nullable Duration interval,
        @Nullable Integer batchSize) {
    private static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(10);
    private static final int DEFAULT_BATCH_SIZE = 500;

    /** Checks the bounds. */
    public PurgeSettings {
        if (interval != null && interval.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("oncegate.purge.interval is 1 s or more, not " + interval);
        }
        if (batchSize != null && (batchSize < 1 || batchSize > 10_000)) {
            throw new IllegalArgumentException("oncegate.purge.batch-size is 1 to 10000, not " + batchSize);
        }
    }

    boolean isEnabled() {
        return enabled == null || enabled;
    }

    Duration pause() {
        return interval == null ? DEFAULT_INTERVAL : interval;
    }

    int batch() {
        return batchSize == null ? DEFAULT_BATCH_SIZE : batchSize;
    }
}
