package io.oncegate.spring.http.internal;

import io.oncegate.core.Outcome;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** What the gate itself answers: a problem, or what it has kept. Immutable. */
public final class GateAnswer {
    private final int status;
    private final List<HttpSnapshot.Header> headers;
    private final byte[] body;
    private final boolean packed;

    private GateAnswer(int status, List<HttpSnapshot.Header> headers, byte[] body, boolean packed) {
        this.status = status;
        this.headers = List.copyOf(headers);
        this.body = body;
        this.packed = packed;
    }

    /** A problem. */
    public static GateAnswer of(HttpProblem problem) {
        List<HttpSnapshot.Header> headers = new ArrayList<>();
        headers.add(new HttpSnapshot.Header("Content-Type", HttpProblem.CONTENT_TYPE));
        Long retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            headers.add(new HttpSnapshot.Header("Retry-After", retryAfter.toString()));
        }
        return new GateAnswer(problem.status(), headers, problem.toJson(), false);
    }

    /**
     * What a call is answered with by its record.
     *
     * @param accepted the values of the client's {@code Accept-Encoding}
     * @throws RuntimeException a refusal that the operation has declared itself
     */
    public static GateAnswer of(Outcome<HttpSnapshot> outcome, List<String> accepted) {
        if (outcome instanceof Outcome.Replayed<HttpSnapshot> replayed && replayed.value() != null) {
            return replay(replayed.value(), accepted);
        } else if (outcome instanceof Outcome.Refused<HttpSnapshot> refused) {
            if (refused.refusal() instanceof RefusedAnswer answer) {
                return replay(answer.snapshot(), accepted);
            }
            throw refused.refusal();
        }
        return of(HttpProblem.of(outcome));
    }

    private static GateAnswer replay(HttpSnapshot snapshot, List<String> accepted) {
        String encoding = snapshot.header("Content-Encoding");
        // This client may not take the bytes as the first one did.
        boolean packed = encoding != null
                && encoding.trim().equalsIgnoreCase("gzip")
                && isGzip(snapshot.body())
                && !acceptsGzip(accepted);
        List<HttpSnapshot.Header> headers = new ArrayList<>();
        headers.add(new HttpSnapshot.Header(HeaderRules.REPLAYED, "true"));
        for (HttpSnapshot.Header header : snapshot.headers()) {
            if (!packed || !header.name().equalsIgnoreCase("Content-Encoding")) {
                headers.add(header);
            }
        }
        return new GateAnswer(snapshot.status(), headers, snapshot.body(), packed);
    }

    /** Whether it begins as such: a handler may have said so of an empty body, or of another one. */
    private static boolean isGzip(byte[] body) {
        return body.length > 2 && body[0] == 0x1f && body[1] == (byte) 0x8b;
    }

    private static boolean acceptsGzip(List<String> accepted) {
        for (String line : accepted) {
            for (String coding : line.toLowerCase(Locale.ROOT).split(",", -1)) {
                String[] parts = coding.replace(" ", "").replace("\t", "").split(";", -1);
                boolean refused = parts.length > 1 && parts[1].matches("q=0(\\.0*)?");
                if ((parts[0].equals("gzip") || parts[0].equals("x-gzip") || parts[0].equals("*")) && !refused) {
                    return true;
                }
            }
        }
        return accepted.isEmpty();
    }

    /** The status. */
    public int status() {
        return status;
    }

    /** The header lines, without the length of the body. */
    public List<HttpSnapshot.Header> headers() {
        return headers;
    }

    /** The number of the body's bytes, or -1 if it is not known. */
    public long length() {
        return packed ? -1 : body.length;
    }

    /** The body. */
    public InputStream open() throws IOException {
        InputStream in = new ByteArrayInputStream(body);
        return packed ? new GZIPInputStream(in) : in;
    }

    /** Whether an answer of this status has a body. */
    public static boolean mayHaveBody(int status) {
        return status != 204 && status != 205 && status != 304;
    }
}
