package io.oncegate.benchmarks;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Keys as a client of ours makes them: UUIDs of version 7, which begin with their birth time. Thread-safe. */
final class Keys {
    private Keys() {}

    /** One of these, at random. */
    static String any(List<String> keys) {
        return keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
    }

    static String next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = System.currentTimeMillis() << 16 | 0x7000 | random.nextInt(0x1000);
        long low = Long.MIN_VALUE | random.nextLong() >>> 2;
        return new UUID(high, low).toString();
    }
}
