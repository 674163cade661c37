package io.oncegate.core;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Growing pauses with jitter. Not thread-safe. */
final class Backoff {
    private static final long MAX_NANOS = Duration.ofMillis(250).toNanos();

    private long nanos;

    Backoff(Duration first) {
        this.nanos = first.toNanos();
    }

    /** The next pause, at most this long. */
    long nextNanos(long atMost) {
        long pause = nanos / 2 + ThreadLocalRandom.current().nextLong(nanos);
        nanos = Math.min(MAX_NANOS, nanos + nanos / 2);
        return Math.max(1, Math.min(pause, atMost));
    }
}
