package io.oncegate.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Asks again and again until something is so, or it has taken too long. */
final class Polling {
    /** How many milliseconds it may take. Much, for a loaded machine; little, where a store is known to be broken. */
    static final String LIMIT_MILLIS = "oncegate.testkit.limit-millis";

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

    private Polling() {}

    static Duration limit() {
        return Duration.ofMillis(Long.getLong(LIMIT_MILLIS, 60_000));
    }

    /** What very many on a loaded machine may need. */
    static Duration longLimit() {
        return limit().multipliedBy(3);
    }

    static void until(String what, BooleanSupplier isSo) {
        until(what, limit(), isSo);
    }

    static void until(String what, Duration atMost, BooleanSupplier isSo) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(what + ": not after " + atMost);
            }
            pause();
        }
    }

    /** Does this again and again for this long, and once more at its end. */
    static void during(Duration duration, Runnable check) {
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - end < 0) {
            check.run();
            pause();
        }
        check.run();
    }

    private static void pause() {
        LockSupport.parkNanos(PAUSE);
    }
}
