package io.oncegate.spring.http.internal;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.spring.http.BadBodyException;
import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.MultipartForm;
import io.oncegate.spring.http.ProblemCode;
import io.oncegate.spring.http.RequestFingerprint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/**
 * A body that has been read, and what the request with it means. Not thread-safe.
 *
 * @param bytes its bytes
 * @param type its content type, or null
 * @param compressed whether it has a content encoding
 * @param fields the fields of its form, URL-encoded or multipart; null if it is none
 * @param form the parts of its multipart form, or null
 * @param meaning what the request means
 */
public record RequestBody(
        BufferedBody bytes,
        @Nullable MediaType type,
        boolean compressed,
        @Nullable List<FormFields.Field> fields,
        @Nullable MultipartForm form,
        Fingerprint meaning) {

    /**
     * What stands before a body.
     *
     * @param method the HTTP method
     * @param path the canonical path
     * @param query as it was sent, or null
     * @param contentType the header, or null
     * @param compressed whether there is a content encoding
     * @param charset the name of the charset of forms, or null for UTF-8
     */
    public record Head(
            String method,
            String path,
            @Nullable String query,
            @Nullable String contentType,
            boolean compressed,
            @Nullable String charset) {
        /** Whether the body is a URL-encoded form. */
        public boolean isForm() {
            return is(MediaType.APPLICATION_FORM_URLENCODED);
        }

        private boolean is(MediaType wanted) {
            MediaType type = RequestFingerprint.mediaType(contentType);
            return type != null && !compressed && type.equalsTypeAndSubtype(wanted);
        }
    }

    /** Whether a header {@code Content-Encoding} says that the body is something else than its content type says. */
    public static boolean isCompressed(@Nullable String contentEncoding) {
        return contentEncoding != null
                && !contentEncoding.isBlank()
                && !contentEncoding.trim().equalsIgnoreCase("identity");
    }

    /** Tells what the bytes are. They are closed if that fails. */
    public static RequestBody of(Head head, BufferedBody bytes) throws RefusedBody, IOException {
        try {
            return understood(head, bytes);
        } catch (BadBodyException e) {
            bytes.close();
            throw new RefusedBody(
                    HttpProblem.of(ProblemCode.BODY_INVALID, "The body cannot be read: " + e.getMessage() + "."));
        } catch (IOException | RuntimeException e) {
            bytes.close();
            throw e;
        }
    }

    private static RequestBody understood(Head head, BufferedBody bytes) throws BadBodyException, IOException {
        MediaType type = RequestFingerprint.mediaType(head.contentType());
        Charset charset = charset(head.charset(), StandardCharsets.UTF_8);
        if (head.isForm()) {
            String text = new String(bytes.bytes(), StandardCharsets.ISO_8859_1);
            return ofForm(head, bytes, FormFields.parse(text, charset));
        }
        RequestFingerprint meaning = meaning(head);
        if (type != null && head.is(MediaType.MULTIPART_FORM_DATA)) {
            MultipartForm form = MultipartForm.parse(bytes, type.getParameter("boundary"));
            return new RequestBody(
                    bytes, type, false, fields(bytes, form, charset), form, meaning.multipart(type, bytes, form));
        }
        return new RequestBody(
                bytes, type, head.compressed(), null, null, meaning.body(head.contentType(), head.compressed(), bytes));
    }

    /** The body of a URL-encoded form that somebody before the gate may have read. */
    public static RequestBody ofForm(Head head, BufferedBody bytes, List<FormFields.Field> fields) {
        MediaType type = MediaType.APPLICATION_FORM_URLENCODED;
        return new RequestBody(bytes, type, false, fields, null, meaning(head).form(type, fields));
    }

    private static RequestFingerprint meaning(Head head) {
        return new RequestFingerprint(head.method(), head.path(), head.query());
    }

    /** The plain fields of a multipart form. */
    private static List<FormFields.Field> fields(BufferedBody bytes, MultipartForm form, Charset charset)
            throws IOException {
        List<FormFields.Field> fields = new ArrayList<>();
        for (MultipartForm.Part part : form.parts()) {
            if (part.fileName() == null) {
                MediaType type = RequestFingerprint.mediaType(part.contentType());
                Charset own = type == null ? charset : charsetOf(type, charset);
                try (InputStream in = bytes.open(part.from(), part.length())) {
                    fields.add(new FormFields.Field(part.name(), new String(in.readAllBytes(), own)));
                }
            }
        }
        return fields;
    }

    private static Charset charsetOf(MediaType type, Charset otherwise) {
        try {
            return type.getCharset() == null ? otherwise : type.getCharset();
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }

    /** The charset of this name, or another where there is none. */
    public static Charset charset(@Nullable String name, Charset otherwise) {
        try {
            return name == null ? otherwise : Charset.forName(name);
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }

    /** The body is larger than the gate reads. */
    public static RefusedBody tooLarge(long maxBytes) {
        return new RefusedBody(HttpProblem.of(
                ProblemCode.BODY_TOO_LARGE, "The body has more than " + maxBytes + " bytes. Send a smaller one."));
    }

    /** The body could not be read to its end. */
    public static RefusedBody brokenOff() {
        return new RefusedBody(HttpProblem.of(
                ProblemCode.BODY_INVALID, "The body ended too early, or was malformed on its way. Send it again."));
    }

    /** Somebody has read the body before the gate. */
    public static IllegalStateException readBefore() {
        return new IllegalStateException(
                "something before the gate has read the body of the request; put the gate before it");
    }
}
