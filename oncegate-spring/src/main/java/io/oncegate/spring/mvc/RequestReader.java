package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.internal.RefusedBody;
import io.oncegate.spring.http.internal.RequestBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads a request's body once, tells what the request means, and makes the request that the handlers see. Thread-safe. */
final class RequestReader {
    private final long maxBytes;
    private final int memoryThreshold;

    RequestReader(long maxBytes, int memoryThreshold) {
        this.maxBytes = maxBytes;
        this.memoryThreshold = memoryThreshold;
    }

    /** Reads it; the body is closed with the request. */
    GatedRequest read(HttpServletRequest request, String path) throws RefusedBody, IOException {
        if (request.getContentLengthLong() > maxBytes) {
            throw RequestBody.tooLarge(maxBytes);
        }
        BufferedBody bytes = new BufferedBody(memoryThreshold);
        try {
            fill(request, bytes);
        } catch (RefusedBody | IOException | RuntimeException e) {
            bytes.close();
            throw e;
        }
        RequestBody.Head head = new RequestBody.Head(
                request.getMethod(),
                path,
                request.getQueryString(),
                request.getContentType(),
                RequestBody.isCompressed(request.getHeader("Content-Encoding")),
                request.getCharacterEncoding());
        if (head.isForm() && bytes.size() == 0 && request.getContentLengthLong() != 0) {
            // A filter before the gate has asked for a parameter, and so the container has read the form.
            return new GatedRequest(request, RequestBody.ofForm(head, bytes, seen(request)), false);
        }
        if (bytes.size() == 0 && request.getContentLengthLong() > 0) {
            throw RequestBody.readBefore();
        }
        return new GatedRequest(request, RequestBody.of(head, bytes), true);
    }

    private void fill(HttpServletRequest request, BufferedBody bytes) throws RefusedBody, IOException {
        byte[] buffer = new byte[8192];
        for (int read = next(request, buffer); read >= 0; read = next(request, buffer)) {
            if (bytes.size() + read > maxBytes) {
                throw RequestBody.tooLarge(maxBytes);
            }
            bytes.write(buffer, 0, read);
        }
    }

    private static int next(HttpServletRequest request, byte[] buffer) throws RefusedBody {
        try {
            return request.getInputStream().read(buffer);
        } catch (IOException e) {
            throw RequestBody.brokenOff();
        }
    }

    private static List<FormFields.Field> seen(HttpServletRequest request) {
        List<FormFields.Field> seen = new ArrayList<>();
        for (Map.Entry<String, String[]> entry : request.getParameterMap().entrySet()) {
            for (String value : entry.getValue()) {
                seen.add(new FormFields.Field(entry.getKey(), value));
            }
        }
        return seen;
    }
}
