package io.oncegate.core.spi;

import java.util.Arrays;

/** A stored result: bytes that mean nothing to a store. Compared by content; its text shows only the size. Immutable. */
public final class Payload {
    private final byte[] bytes;

    private Payload(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A payload of these bytes, which are not copied and must not be changed any more. */
    public static Payload of(byte[] bytes) {
        return new Payload(bytes);
    }

    /** The bytes, not copied: not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** The number of bytes. */
    public int size() {
        return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Payload payload && Arrays.equals(payload.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Payload[" + bytes.length + " bytes]";
    }
}
