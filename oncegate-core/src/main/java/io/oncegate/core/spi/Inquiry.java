package io.oncegate.core.spi;

import java.nio.ByteBuffer;

/**
 * What a record remembers of a claim that may have to be asked about: it stands in the result's place of a record that is
 * unknown, or that is running after a takeover. A record without it is at its first claim, and nobody has asked. Immutable.
 *
 * @param claimedAt when the key was first claimed for this request, in microseconds since 1970 by the store's clock
 * @param asked how often a reconciler has been let in, 0 or more
 */
public record Inquiry(long claimedAt, int asked) {
    private static final byte FORMAT = 1;
    private static final int LENGTH = 1 + Long.BYTES + Integer.BYTES;

    /**
     * The inquiry of a record that is running or unknown.
     *
     * @throws IllegalArgumentException if another version has written it
     */
    public static Inquiry of(StoredRecord record) {
        Payload payload = record.result();
        return payload == null ? new Inquiry(record.fence(), 0) : read(payload.bytes());
    }

    /**
     * The inquiry with these bytes: a format version of 1, then both numbers, big endian, in 8 and 4 bytes.
     *
     * @throws IllegalArgumentException if another version has written them
     */
    public static Inquiry read(byte[] bytes) {
        if (bytes.length != LENGTH || bytes[0] != FORMAT) {
            throw new IllegalArgumentException("an inquiry of another version; update this instance");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Inquiry(buffer.getLong(1), buffer.getInt(1 + Long.BYTES));
    }

    /** The stored form. */
    public Payload toPayload() {
        return Payload.of(ByteBuffer.allocate(LENGTH)
                .put(FORMAT)
                .putLong(claimedAt)
                .putInt(asked)
                .array());
    }

    /** The same after one more reconciler has been let in. */
    Inquiry more() {
        return new Inquiry(claimedAt, asked == Integer.MAX_VALUE ? asked : asked + 1);
    }
}
