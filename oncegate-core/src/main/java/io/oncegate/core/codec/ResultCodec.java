package io.oncegate.core.codec;

import java.lang.reflect.Type;

/**
 * Turns results into bytes and back. The type is always the one that the operation declares in code; a codec never loads
 * a class because stored bytes name it. {@code null} never reaches a codec. Thread-safe.
 */
public interface ResultCodec {
    /**
     * A short stable name of the stored form, 1 to 16 ASCII characters, kept with every result: bytes of another codec are
     * not read but answered as <em>done, no result</em>.
     */
    String id();

    /** Whether values of this declared type can be stored. Asked before anything is run. */
    boolean supports(Type type);

    /**
     * The stored form.
     *
     * @throws ResultCodecException if this value has none
     */
    byte[] encode(Object value, Type type);

    /**
     * The value of a stored form.
     *
     * @throws ResultCodecException if it cannot be read as this type
     */
    Object decode(byte[] bytes, Type type);
}
