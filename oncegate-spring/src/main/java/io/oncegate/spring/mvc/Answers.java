package io.oncegate.spring.mvc;

import io.oncegate.core.Outcome;
import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Sends answers through the real response. Not thread-safe. */
final class Answers {
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    Answers(HttpServletRequest request, HttpServletResponse response) {
        this.request = request;
        this.response = response;
    }

    HttpServletResponse response() {
        return response;
    }

    void problem(HttpProblem problem) throws IOException {
        byte[] json = problem.toJson();
        response.setStatus(problem.status());
        response.setContentType(HttpProblem.CONTENT_TYPE);
        response.setContentLength(json.length);
        Long retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            response.setHeader("Retry-After", retryAfter.toString());
        }
        response.getOutputStream().write(json);
    }

    /** Sends what a call was answered with by its record. */
    void outcome(Outcome<HttpSnapshot> outcome) throws IOException {
        if (outcome instanceof Outcome.Replayed<HttpSnapshot> replayed && replayed.value() != null) {
            replay(replayed.value());
        } else if (outcome instanceof Outcome.Refused<HttpSnapshot> refused) {
            if (!(refused.refusal() instanceof RefusedAnswer answer)) {
                throw refused.refusal(); // one that the operation has declared itself
            }
            replay(answer.snapshot());
        } else {
            problem(HttpProblem.of(outcome));
        }
    }

    private void replay(HttpSnapshot snapshot) throws IOException {
        response.setHeader(HeaderRules.REPLAYED, "true");
        String encoding = snapshot.header("Content-Encoding");
        if (encoding == null || !encoding.trim().equalsIgnoreCase("gzip") || acceptsGzip()) {
            begin(snapshot.status(), snapshot.headers());
            body(snapshot.status(), snapshot.body());
            return;
        }
        // This client does not take the bytes as the first one did.
        List<HttpSnapshot.Header> headers = snapshot.headers().stream()
                .filter(header -> !header.name().equalsIgnoreCase("Content-Encoding"))
                .toList();
        begin(snapshot.status(), headers);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(snapshot.body()))) {
            in.transferTo(response.getOutputStream());
        }
    }

    private boolean acceptsGzip() {
        boolean named = false;
        for (String line : Collections.list(request.getHeaders("Accept-Encoding"))) {
            named = true;
            for (String coding : line.toLowerCase(Locale.ROOT).split(",", -1)) {
                String[] parts = coding.replace(" ", "").replace("\t", "").split(";", -1);
                boolean refused = parts.length > 1 && parts[1].matches("q=0(\\.0*)?");
                if ((parts[0].equals("gzip") || parts[0].equals("x-gzip") || parts[0].equals("*")) && !refused) {
                    return true;
                }
            }
        }
        return !named;
    }

    void begin(int status, List<HttpSnapshot.Header> headers) {
        response.setStatus(status);
        for (HttpSnapshot.Header header : headers) {
            // once per name, so that what a filter before the gate has set is replaced and not doubled
            boolean first = headers.stream()
                            .filter(other -> other.name().equalsIgnoreCase(header.name()))
                            .findFirst()
                            .orElse(header)
                    == header;
            if (first && !header.name().equalsIgnoreCase("Set-Cookie")) {
                response.setHeader(header.name(), header.value());
            } else {
                response.addHeader(header.name(), header.value());
            }
        }
    }

    private void body(int status, byte[] bytes) throws IOException {
        if (mayHaveBody(status)) {
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }

    void body(int status, BufferedBody bytes) throws IOException {
        if (mayHaveBody(status)) {
            response.setContentLengthLong(bytes.size());
            bytes.copyTo(response.getOutputStream());
        }
    }

    private static boolean mayHaveBody(int status) {
        return status != HttpServletResponse.SC_NO_CONTENT
                && status != HttpServletResponse.SC_RESET_CONTENT
                && status != HttpServletResponse.SC_NOT_MODIFIED;
    }
}
