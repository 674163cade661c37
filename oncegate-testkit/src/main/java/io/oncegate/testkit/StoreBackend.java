package io.oncegate.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** What a contract has to see and move of a store's backend, past the store itself. Thread-safe. */
public interface StoreBackend {
    /** The present time of the backend's own clock, the one that decides, in microseconds since 1970. */
    long storeTimeMicros();

    /** Returns once the backend's clock has moved on by at least this much: moves a test clock, waits for a real one. */
    void passTime(Duration duration);

    /**
     * A backend with a real clock: time passes by asking for it again and again.
     *
     * @param storeTimeMicros reads the backend's clock
     */
    static StoreBackend withRealClock(LongSupplier storeTimeMicros) {
        return new StoreBackend() {
            @Override
            public long storeTimeMicros() {
                return storeTimeMicros.getAsLong();
            }

            @Override
            public void passTime(Duration duration) {
                long until = storeTimeMicros() + TimeUnit.NANOSECONDS.toMicros(duration.toNanos() + 999);
                for (long left = 1; left > 0; left = until - storeTimeMicros()) {
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(Math.min(left, 5_000)));
                }
            }
        };
    }
}
