package io.oncegate.spring.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer as it is kept: status, body bytes, and the kept headers with all their values in order. Immutable. */
public final class HttpSnapshot {
    /** One header line. */
    public record Header(String name, String value) {}

    private final int status;
    private final List<Header> headers;
    private final byte @Nullable [] body;

    private HttpSnapshot(int status, List<Header> headers, byte @Nullable [] body) {
        this.status = status;
        this.headers = List.copyOf(headers);
        this.body = body;
    }

    /**
     * A snapshot of these.
     *
     * @param body not copied, and not to be changed any more
     */
    public static HttpSnapshot of(int status, List<Header> headers, byte[] body) {
        return new HttpSnapshot(status, headers, body);
    }

    /** A stand-in for an answer that is too large to be kept: it has no stored form, so its operation is done, no result. */
    public static HttpSnapshot tooLarge(int status) {
        return new HttpSnapshot(status, List.of(), null);
    }

    /** The status. */
    public int status() {
        return status;
    }

    /** The header lines, in their order. */
    public List<Header> headers() {
        return headers;
    }

    /** The values of one header, in their order. */
    public List<String> headers(String name) {
        List<String> values = new ArrayList<>();
        for (Header header : headers) {
            if (header.name().equalsIgnoreCase(name)) {
                values.add(header.value());
            }
        }
        return values;
    }

    /** The first value of a header, or null. */
    public @Nullable String header(String name) {
        List<String> values = headers(name);
        return values.isEmpty() ? null : values.get(0);
    }

    /** The body, not copied: not to be changed. */
    public byte[] body() {
        return body == null ? new byte[0] : body;
    }

    /** Whether it can be kept. */
    boolean isComplete() {
        return body != null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HttpSnapshot snapshot
                && snapshot.status == status
                && snapshot.headers.equals(headers)
                && Arrays.equals(snapshot.body, body);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * status + headers.hashCode()) + Arrays.hashCode(body);
    }

    @Override
    public String toString() {
        return "HttpSnapshot[" + status + ", " + headers.size() + " headers, " + body().length + " bytes]";
    }
}
