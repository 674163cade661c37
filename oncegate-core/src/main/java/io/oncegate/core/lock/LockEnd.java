package io.oncegate.core.lock;

import io.oncegate.core.spi.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a hold ends.
 *
 * @param completed whether its work is done: a window stays open then, else it closes
 * @param result what is kept for those who take it, or null; only of a completed hold
 * @param resultRetention how long the result is kept, where no window is open for longer; more than zero
 */
public record LockEnd(boolean completed, @Nullable Payload result, Duration resultRetention) {
    private static final LockEnd RELEASED = new LockEnd(false, null, Duration.ofMillis(1));

    /** Checks that only a completed hold has a result. */
    public LockEnd {
        if (result != null && !completed) {
            throw new IllegalArgumentException("only a completed hold has a result");
        }
    }

    /** The end of a hold whose work was not done. */
    public static LockEnd released() {
        return RELEASED;
    }
}
