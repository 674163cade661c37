package io.oncegate.spring.mvc;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.spring.http.BadBodyException;
import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.MultipartForm;
import io.oncegate.spring.http.ProblemCode;
import io.oncegate.spring.http.RequestFingerprint;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

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
            throw tooLarge();
        }
        BufferedBody body = new BufferedBody(memoryThreshold);
        try {
            fill(request, body);
            return understood(request, path, body);
        } catch (BadBodyException e) {
            body.close();
            throw new RefusedBody(
                    HttpProblem.of(ProblemCode.BODY_INVALID, "The body cannot be read: " + e.getMessage() + "."));
        } catch (RefusedBody | IOException | RuntimeException e) {
            body.close();
            throw e;
        }
    }

    private void fill(HttpServletRequest request, BufferedBody body) throws RefusedBody, IOException {
        byte[] buffer = new byte[8192];
        for (int read = next(request, buffer); read >= 0; read = next(request, buffer)) {
            if (body.size() + read > maxBytes) {
                throw tooLarge();
            }
            body.write(buffer, 0, read);
        }
    }

    private static int next(HttpServletRequest request, byte[] buffer) throws RefusedBody {
        try {
            InputStream in = request.getInputStream();
            return in.read(buffer);
        } catch (IOException e) {
            throw new RefusedBody(HttpProblem.of(
                    ProblemCode.BODY_INVALID, "The body ended too early, or was malformed on its way. Send it again."));
        }
    }

    private RefusedBody tooLarge() {
        return new RefusedBody(HttpProblem.of(
                ProblemCode.BODY_TOO_LARGE, "The body has more than " + maxBytes + " bytes. Send a smaller one."));
    }

    private static GatedRequest understood(HttpServletRequest request, String path, BufferedBody body)
            throws BadBodyException, IOException {
        RequestFingerprint fingerprint = new RequestFingerprint(request.getMethod(), path, request.getQueryString());
        String contentType = request.getContentType();
        MediaType type = RequestFingerprint.mediaType(contentType);
        boolean compressed = request.getHeader("Content-Encoding") != null;
        if (type != null && !compressed && type.equalsTypeAndSubtype(MediaType.APPLICATION_FORM_URLENCODED)) {
            return form(request, body, fingerprint, type);
        }
        if (body.size() == 0 && request.getContentLengthLong() > 0) {
            throw new IllegalStateException(
                    "something before the gate has read the body of the request; put the gate before it");
        }
        if (type != null && !compressed && type.equalsTypeAndSubtype(MediaType.MULTIPART_FORM_DATA)) {
            MultipartForm parts = MultipartForm.parse(body, type.getParameter("boundary"));
            Fingerprint meaning = fingerprint.multipart(type, body, parts);
            return new GatedRequest(request, body, meaning, fields(request, body, parts), parts);
        }
        return new GatedRequest(request, body, fingerprint.body(contentType, compressed, body), null, null);
    }

    private static GatedRequest form(
            HttpServletRequest request, BufferedBody body, RequestFingerprint fingerprint, MediaType type)
            throws BadBodyException, IOException {
        if (body.size() == 0 && request.getContentLengthLong() != 0) {
            // A filter before the gate has asked for a parameter, and so the container has read the form.
            List<FormFields.Field> seen = new ArrayList<>();
            for (Map.Entry<String, String[]> entry : request.getParameterMap().entrySet()) {
                for (String value : entry.getValue()) {
                    seen.add(new FormFields.Field(entry.getKey(), value));
                }
            }
            return new GatedRequest(request, body, fingerprint.form(type, seen), null, null);
        }
        Charset charset = charset(request.getCharacterEncoding(), StandardCharsets.UTF_8);
        String text = new String(body.bytes(), StandardCharsets.ISO_8859_1);
        List<FormFields.Field> fields = FormFields.parse(text, charset);
        return new GatedRequest(request, body, fingerprint.form(type, fields), fields, null);
    }

    /** The plain fields of a multipart form, which are parameters too. */
    private static List<FormFields.Field> fields(HttpServletRequest request, BufferedBody body, MultipartForm parts)
            throws IOException {
        Charset charset = charset(request.getCharacterEncoding(), StandardCharsets.UTF_8);
        List<FormFields.Field> fields = new ArrayList<>();
        for (MultipartForm.Part part : parts.parts()) {
            if (part.fileName() == null) {
                MediaType type = RequestFingerprint.mediaType(part.contentType());
                Charset own = type == null || type.getCharset() == null ? charset : type.getCharset();
                try (InputStream in = body.open(part.from(), part.length())) {
                    fields.add(new FormFields.Field(part.name(), new String(in.readAllBytes(), own)));
                }
            }
        }
        return fields;
    }

    static Charset charset(@Nullable String name, Charset otherwise) {
        try {
            return name == null ? otherwise : Charset.forName(name);
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }
}
