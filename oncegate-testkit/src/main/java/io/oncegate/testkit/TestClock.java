package io.oncegate.testkit;

import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved, forwards or back. Thread-safe. */
public final class TestClock implements TimeSource, SteppingBackend {
    /** Where a clock stands at first, unless said otherwise. */
    public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final AtomicLong now;

    /** A clock that stands at {@link #START}. */
    public TestClock() {
        this(START);
    }

    /** A clock that stands at this moment. */
    public TestClock(Instant start) {
        this.now = new AtomicLong(microsOf(start));
    }

    @Override
    public long micros() {
        return now.get();
    }

    /** The present time, to the microsecond. */
    public Instant instant() {
        return Instant.EPOCH.plus(micros(), ChronoUnit.MICROS);
    }

    /** Moves on by this much. */
    public void advance(Duration duration) {
        now.addAndGet(RecordMachine.micros(duration));
    }

    @Override
    public void stepBack(Duration duration) {
        now.addAndGet(-RecordMachine.micros(duration));
    }

    /** Jumps to this moment. */
    public void set(Instant moment) {
        now.set(microsOf(moment));
    }

    @Override
    public long storeTimeMicros() {
        return micros();
    }

    @Override
    public void passTime(Duration duration) {
        advance(duration);
    }

    private static long microsOf(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
