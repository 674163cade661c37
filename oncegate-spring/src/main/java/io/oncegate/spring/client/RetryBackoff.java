package io.oncegate.spring.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The waits where a server names none: they double, and each is drawn from its upper half, so that clients that failed
 * together do not come back together.
 */
record RetryBackoff(Duration first, Duration max) {
    private static final int MOST_DOUBLINGS = 20;

    /** The wait after so many attempts, 1 or more. */
    Duration after(int attempts) {
        Duration doubled = first.multipliedBy(1L << Math.min(attempts - 1, MOST_DOUBLINGS));
        long nanos = (doubled.compareTo(max) > 0 ? max : doubled).toNanos();
        return Duration.ofNanos(nanos - ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
    }
}
