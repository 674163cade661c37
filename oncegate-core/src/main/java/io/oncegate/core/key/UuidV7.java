package io.oncegate.core.key;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of milliseconds since 1970, and random bits from {@link
 * SecureRandom}. As keys they carry their birth time and lie together in a store. Thread-safe.
 */
public final class UuidV7 {
    /** How far the clock may step back before the next UUID follows it, instead of rising from the last one. */
    private static final long MAX_AHEAD_MILLIS = 10_000;

    private static final int COUNTER_BITS = 12;
    private static final int SEED_BOUND = 1 << (COUNTER_BITS - 1);
    private static final Instant END = Instant.ofEpochMilli(1L << 48);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The last milliseconds, and behind them the counter of section 6.2, method 1, which stands in rand_a. */
    private static final AtomicLong LAST = new AtomicLong();

    private UuidV7() {}

    /**
     * A new UUID, born now. Each one is greater than those before it in this process, as {@link UUID#toString()} and the
     * bytes compare; after a step of the clock back by more than 10 seconds they follow the clock, and rise again from there.
     */
    public static UUID next() {
        return next(LAST, System.currentTimeMillis());
    }

    /**
     * A new UUID, born at this instant. Its order among others of the same millisecond is random.
     *
     * @throws IllegalArgumentException if the instant is before 1970 or after the year 10889
     */
    public static UUID at(Instant birth) {
        if (birth.isBefore(Instant.EPOCH) || !birth.isBefore(END)) {
            throw new IllegalArgumentException(
                    "a UUID of version 7 holds times from 1970 to the year 10889, not " + birth);
        }
        return uuid(birth.toEpochMilli(), RANDOM.nextInt(1 << COUNTER_BITS));
    }

    static UUID next(AtomicLong last, long nowMillis) {
        long fresh = (nowMillis << COUNTER_BITS) | RANDOM.nextInt(SEED_BOUND);
        long stamp = last.updateAndGet(previous ->
                (previous >>> COUNTER_BITS) - nowMillis > MAX_AHEAD_MILLIS ? fresh : Math.max(previous + 1, fresh));
        return uuid(stamp >>> COUNTER_BITS, (int) stamp & ((1 << COUNTER_BITS) - 1));
    }

    private static UUID uuid(long millis, int randA) {
        long high = (millis << 16) | 0x7000L | randA;
        long low = (RANDOM.nextLong() >>> 2) | (1L << 63);
        return new UUID(high, low);
    }
}
