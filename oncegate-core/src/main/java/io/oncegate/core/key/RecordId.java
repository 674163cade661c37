package io.oncegate.core.key;

import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The name of a record in a store: the SHA-256 digest of operation, scope and value. Where the value carries its birth
 * time, six bytes of it (milliseconds since 1970, big endian) stand in front, so that new records lie together in an
 * ordered index. A digest cannot be changed by a collation and gives a caller's text no influence on a store's names.
 * Immutable.
 */
public final class RecordId {
    /** The most bytes that an id has. */
    public static final int MAX_LENGTH = 6 + Digests.LENGTH;

    private final byte[] bytes;
    private final int hash;

    private RecordId(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    static RecordId of(Optional<Instant> bornAt, byte[] digest) {
        if (bornAt.isEmpty()) {
            return new RecordId(digest);
        }
        long millis = bornAt.get().toEpochMilli();
        byte[] bytes = new byte[MAX_LENGTH];
        for (int i = 0; i < 6; i++) {
            bytes[i] = (byte) (millis >>> (40 - 8 * i));
        }
        System.arraycopy(digest, 0, bytes, 6, digest.length);
        return new RecordId(bytes);
    }

    /**
     * The id that {@link #toBytes()} had given.
     *
     * @throws IllegalArgumentException if these bytes are no id
     */
    public static RecordId fromBytes(byte[] bytes) {
        if (bytes.length != Digests.LENGTH && bytes.length != MAX_LENGTH) {
            throw new IllegalArgumentException("a record id has 32 or 38 bytes, not " + bytes.length);
        }
        return new RecordId(bytes.clone());
    }

    /**
     * The id that {@link #toString()} had given.
     *
     * @throws IllegalArgumentException if this text is no id
     */
    public static RecordId parse(String hex) {
        return fromBytes(HexFormat.of().parseHex(hex));
    }

    /** The bytes, a copy. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** The last eight bytes in hexadecimal: for logs. */
    public String shortForm() {
        return HexFormat.of().formatHex(bytes, bytes.length - 8, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordId id && Arrays.equals(id.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** All bytes in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
