package io.oncegate.core.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Tells the time of a store that lives in this process. Thread-safe. */
@FunctionalInterface
public interface TimeSource {
    /** Microseconds since 1970. */
    long micros();

    /**
     * The time of the system's clock at this moment, going on by the monotonic clock: no step of the system's clock ends a
     * lease early.
     */
    static TimeSource system() {
        long start = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long origin = System.nanoTime();
        return () -> start + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - origin);
    }
}
