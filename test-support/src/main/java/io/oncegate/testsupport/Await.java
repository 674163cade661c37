package io.oncegate.testsupport;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Polls until something is so, or a deadline has passed. */
public final class Await {

    private static final long PAUSE_MILLIS = 20;

    private Await() {}

    /**
     * Polls until the condition is true. A condition that throws counts as false, and so does one
     * whose assertion fails.
     *
     * @throws IllegalStateException after the deadline, with the last failure as its cause
     */
    public static void until(String what, Duration atMost, Callable<Boolean> condition) {
        until(what, atMost, condition, () -> "");
    }

    static void until(String what, Duration atMost, Callable<Boolean> condition, Supplier<String> details) {
        long deadline = System.nanoTime() + atMost.toNanos();
        @Nullable Throwable last = null;
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (Exception | AssertionError e) {
                last = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(what + ": not after " + atMost + " " + details.get(), last);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting", e);
        }
    }
}
