package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The properties under {@code oncegate.states}.
 *
 * @param historyRetention how old the events of state machines are when they are removed; without it they stay. An event that
 *     comes again after that is judged by the row's state alone
 */
public record StateSettings(@Nullable Duration historyRetention) {
    private static final Duration LEAST_RETENTION = Duration.ofDays(1);

    /** Checks the bound. */
    public StateSettings {
        if (historyRetention != null && historyRetention.compareTo(LEAST_RETENTION) < 0) {
            throw new IllegalArgumentException(
                    "oncegate.states.history-retention is a day or more, not " + historyRetention);
        }
    }
}
