package io.oncegate.spring.lock;

import io.oncegate.core.Operation;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.Payload;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored form of results: a byte that says what it is, then for a value the length and text of the codec's id and the
 * codec's bytes. A value is read as the declared type of the method that asks; the store names no class. Immutable.
 *
 * @param type the declared type
 * @param maxBytes the most bytes of a value
 */
record LockResults(ResultCodec codec, Type type, int maxBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(LockResults.class);

    private static final byte NULL = 0;
    private static final byte VALUE = 1;
    /** It has been done, but its result has no stored form. */
    private static final byte NONE = 2;

    Payload encode(OperationKey key, @Nullable Object value) {
        if (value == null) {
            return Payload.of(new byte[] {NULL});
        }
        byte[] bytes;
        try {
            bytes = codec.encode(value, type);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            LOG.warn("{}: the result has no stored form and is given to nobody", key, e);
            return Payload.of(new byte[] {NONE});
        }
        byte[] id = codec.id().getBytes(StandardCharsets.US_ASCII);
        if (bytes.length > maxBytes || 2 + id.length + bytes.length > Operation.DEFAULT_MAX_RESULT_BYTES) {
            LOG.warn(
                    "{}: the result is given to nobody: {} bytes are more than the limit of {}, or than a lock keeps",
                    key,
                    bytes.length,
                    maxBytes);
            return Payload.of(new byte[] {NONE});
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(2 + id.length + bytes.length);
        out.write(VALUE);
        out.write(id.length);
        out.writeBytes(id);
        out.writeBytes(bytes);
        return Payload.of(out.toByteArray());
    }

    /**
     * The value.
     *
     * @throws ResultUnavailableException if it was not stored, or cannot be read as this type
     */
    @Nullable
    Object decode(OperationKey key, Payload payload) {
        byte[] bytes = payload.bytes();
        if (bytes.length == 1 && bytes[0] == NULL) {
            return null;
        }
        byte[] id = codec.id().getBytes(StandardCharsets.US_ASCII);
        int start = 2 + id.length;
        RuntimeException why = null;
        if (bytes.length >= start
                && bytes[0] == VALUE
                && bytes[1] == id.length
                && Arrays.equals(bytes, 2, start, id, 0, id.length)) {
            try {
                return codec.decode(Arrays.copyOfRange(bytes, start, bytes.length), type);
            } catch (RuntimeException e) {
                why = e;
            }
        }
        throw new ResultUnavailableException(key.operation(), "succeeded", key.digest(), why);
    }
}
