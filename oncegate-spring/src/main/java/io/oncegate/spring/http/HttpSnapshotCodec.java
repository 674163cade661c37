package io.oncegate.spring.http;

import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.ResultCodecException;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Stores snapshots of answers: a format byte (1), the status (2 bytes), the number of header lines (2), for each the length
 * (2) and text of its name and the length (4) and UTF-8 text of its value, then the body to the end. Thread-safe.
 */
public final class HttpSnapshotCodec implements ResultCodec {
    private static final byte FORMAT = 1;

    /** Creates the codec. */
    public HttpSnapshotCodec() {}

    @Override
    public String id() {
        return "http1";
    }

    @Override
    public boolean supports(Type type) {
        return type == HttpSnapshot.class;
    }

    @Override
    public byte[] encode(Object value, Type type) {
        if (!(value instanceof HttpSnapshot snapshot)) {
            throw new ResultCodecException("only HTTP answers are stored by this codec", null);
        }
        if (!snapshot.isComplete() || snapshot.headers().size() > 0xffff) {
            throw new ResultCodecException("the answer is larger than what is kept of one", null);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(snapshot.body().length + 256);
        out.write(FORMAT);
        number(out, 2, snapshot.status());
        number(out, 2, snapshot.headers().size());
        for (HttpSnapshot.Header header : snapshot.headers()) {
            text(out, 2, header.name());
            text(out, 4, header.value());
        }
        out.writeBytes(snapshot.body());
        return out.toByteArray();
    }

    private static void number(ByteArrayOutputStream out, int size, int number) {
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
            out.write(number >>> shift);
        }
    }

    private static void text(ByteArrayOutputStream out, int size, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(out, size, bytes.length);
        out.writeBytes(bytes);
    }

    @Override
    public HttpSnapshot decode(byte[] bytes, Type type) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            byte format = in.get();
            if (format != FORMAT) {
                throw new ResultCodecException("an answer of format " + format + " cannot be read", null);
            }
            int status = in.getShort();
            int count = in.getShort() & 0xffff;
            List<HttpSnapshot.Header> headers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = text(in, in.getShort() & 0xffff);
                headers.add(new HttpSnapshot.Header(name, text(in, in.getInt())));
            }
            byte[] body = new byte[in.remaining()];
            in.get(body);
            if (status < 200 || status > 599) {
                throw new ResultCodecException("the stored status is none", null);
            }
            return HttpSnapshot.of(status, headers, body);
        } catch (BufferUnderflowException e) {
            throw new ResultCodecException("the stored answer is cut short", e);
        }
    }

    private static String text(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new ResultCodecException("the stored answer is cut short", null);
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
