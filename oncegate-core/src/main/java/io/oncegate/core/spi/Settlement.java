package io.oncegate.core.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome with which a claim ends.
 *
 * @param state {@link RecordState#SUCCEEDED}, {@link RecordState#REFUSED} or {@link RecordState#UNKNOWN}
 * @param result what to replay, or null if there is nothing that could be
 * @param retention how long the record answers
 * @param resultRetention how long the result is kept, at most the retention; afterwards a tombstone answers. Of an unknown
 *     outcome: how long nobody is let in to find out
 */
public record Settlement(RecordState state, @Nullable Payload result, Duration retention, Duration resultRetention) {
    /** Checks that this is the state of an outcome. */
    public Settlement {
        if (state == RecordState.FREE || state == RecordState.RUNNING) {
            throw new IllegalArgumentException("a claim ends succeeded, refused or unknown, not " + state);
        }
        if (state != RecordState.UNKNOWN && resultRetention.compareTo(retention) > 0) {
            throw new IllegalArgumentException("a result cannot be kept longer than its record");
        }
    }

    /**
     * An outcome that nobody knows.
     *
     * @param retention how long the record answers once it is known
     * @param pause how long nobody is let in to find out
     */
    public static Settlement unknown(Duration retention, Duration pause) {
        return new Settlement(RecordState.UNKNOWN, null, retention, pause);
    }
}
