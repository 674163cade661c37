package io.oncegate.core.spi;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The random name that a claimant gives to one attempt to run an operation. 128 bits from a secure source, never derived
 * from thread, host or process: two attempts of one worker differ. Immutable.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record AttemptId(long high, long low) {
    /** How many bytes {@link #toBytes()} has. */
    public static final int LENGTH = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** A new attempt. Thread-safe. */
    public static AttemptId random() {
        byte[] bytes = new byte[LENGTH];
        RANDOM.nextBytes(bytes);
        return fromBytes(bytes);
    }

    /**
     * The attempt that {@link #toBytes()} had given.
     *
     * @throws IllegalArgumentException if there are not 16 bytes
     */
    public static AttemptId fromBytes(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("an attempt id has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new AttemptId(buffer.getLong(), buffer.getLong());
    }

    /** The 16 bytes, big endian. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(LENGTH).putLong(high).putLong(low).array();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AttemptId attempt && attempt.high == high && attempt.low == low;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high ^ low);
    }
}
