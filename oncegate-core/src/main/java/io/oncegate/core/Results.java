package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.ResultCodecException;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of results: a byte that says what it is; for a refusal the length and text of its code; then, unless it
 * is null, the length and text of the codec's id, and the codec's bytes.
 */
final class Results {
    private static final byte NULL = 0;
    private static final byte VALUE = 1;
    private static final byte REFUSAL = 2;

    private static final Payload OF_NULL = Payload.of(new byte[] {NULL});

    private final ResultCodec codec;
    private final Events events;

    Results(ResultCodec codec, Events events) {
        this.codec = codec;
        this.events = events;
    }

    /** Refuses, before anything is run, an operation whose result could never be stored. */
    void check(Operation<?> operation) {
        require(codecOf(operation), operation, operation.type().type());
        for (Refusal<?, ?> refusal : operation.settings().refusals()) {
            require(codec, operation, refusal.dataType().type());
        }
    }

    private static void require(ResultCodec codec, Operation<?> operation, Type type) {
        if (type != Void.class && !codec.supports(type)) {
            throw new IllegalArgumentException("operation " + operation.name() + ": codec " + codec.id()
                    + " cannot store " + type.getTypeName()
                    + "; give the builder another codec, such as the one in oncegate-jackson");
        }
    }

    /** The stored form of nothing, for operations without a result. */
    static Payload ofNull() {
        return OF_NULL;
    }

    /** The stored form, or null if it has none or is too large: it has been done all the same. */
    @Nullable
    Payload encode(Call<?> call, @Nullable Object value) {
        Operation<?> operation = call.operation();
        if (value == null) {
            return OF_NULL;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(VALUE);
        return encode(call, codecOf(operation), value, operation.type().type(), out);
    }

    <X extends RuntimeException, D> @Nullable Payload encode(
            Call<?> call, Refusal<X, D> refusal, RuntimeException thrown) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(REFUSAL);
        writeText(out, refusal.code());
        Object data;
        try {
            data = refusal.toData().apply(refusal.type().cast(thrown));
        } catch (RuntimeException e) {
            return notStorable(call, e);
        }
        return data == null
                ? Payload.of(out.toByteArray())
                : encode(call, codec, data, refusal.dataType().type(), out);
    }

    private @Nullable Payload encode(
            Call<?> call, ResultCodec with, Object value, Type type, ByteArrayOutputStream out) {
        byte[] bytes;
        try {
            bytes = with.encode(value, type);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            return notStorable(call, e);
        }
        int limit = call.operation().settings().maxResultBytes();
        if (bytes.length > limit) {
            return notStorable(
                    call, new ResultCodecException(bytes.length + " bytes are more than the limit of " + limit, null));
        }
        writeText(out, with.id());
        out.writeBytes(bytes);
        return Payload.of(out.toByteArray());
    }

    private @Nullable Payload notStorable(Call<?> call, Throwable why) {
        events.warn(
                Kind.RESULT_NOT_STORABLE, call.key(), "the result is not kept; repetitions are told it is done", why);
        return null;
    }

    /** The outcome that a stored result stands for. */
    <T> Outcome<T> decode(Call<T> call, RecordState state, Payload payload) {
        try {
            Reader in = new Reader(payload.bytes());
            byte kind = in.next();
            if (state == RecordState.REFUSED && kind == REFUSAL) {
                return refused(call, in);
            }
            if (state == RecordState.SUCCEEDED && kind == NULL) {
                return new Outcome.Replayed<>(null);
            }
            if (state == RecordState.SUCCEEDED && kind == VALUE) {
                return new Outcome.Replayed<>(value(call, in));
            }
            throw new ResultCodecException("no stored form of this version", null);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            events.warn(Kind.RESULT_NOT_STORABLE, call.key(), "the stored result cannot be read any more", e);
            return new Outcome.NoResult<>(call.key(), state == RecordState.REFUSED);
        }
    }

    @SuppressWarnings("unchecked") // the codec reads it as the type that the operation declares
    private <T> T value(Call<T> call, Reader in) {
        Operation<T> operation = call.operation();
        ResultCodec with = codecOf(operation);
        requireId(with, in);
        return (T) with.decode(in.rest(), operation.type().type());
    }

    private <T> Outcome<T> refused(Call<T> call, Reader in) {
        String code = in.text();
        for (Refusal<?, ?> refusal : call.operation().settings().refusals()) {
            if (refusal.code().equals(code)) {
                return new Outcome.Refused<>(again(refusal, in), true);
            }
        }
        throw new ResultCodecException("the operation no longer declares the refusal " + code, null);
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // read as the declared type; null data goes back as it came
    private <X extends RuntimeException, D> X again(Refusal<X, D> refusal, Reader in) {
        D data = null;
        if (in.hasMore()) {
            requireId(codec, in);
            data = (D) codec.decode(in.rest(), refusal.dataType().type());
        }
        return refusal.toException().apply(data);
    }

    private static void requireId(ResultCodec with, Reader in) {
        String id = in.text();
        if (!with.id().equals(id)) {
            throw new ResultCodecException("stored by codec " + id + ", not by " + with.id(), null);
        }
    }

    private ResultCodec codecOf(Operation<?> operation) {
        ResultCodec own = operation.settings().codec();
        return own == null ? codec : own;
    }

    private static void writeText(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        out.write(bytes.length);
        out.writeBytes(bytes);
    }

    private static final class Reader {
        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasMore() {
            return at < bytes.length;
        }

        byte next() {
            if (!hasMore()) {
                throw new ResultCodecException("the stored form is cut short", null);
            }
            return bytes[at++];
        }

        String text() {
            int length = next() & 0xff;
            if (at + length > bytes.length) {
                throw new ResultCodecException("the stored form is cut short", null);
            }
            String text = new String(bytes, at, length, StandardCharsets.US_ASCII);
            at += length;
            return text;
        }

        byte[] rest() {
            return Arrays.copyOfRange(bytes, at, bytes.length);
        }
    }
}
