package io.oncegate.spring.http;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.key.Fingerprint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * What an HTTP request means, in the parts {@code method}, {@code path}, {@code query}, {@code content-type} and
 * {@code body}. Not thread-safe.
 *
 * <ul>
 *   <li>query and form: the decoded fields, in the order of their names; the order within a name counts.
 *   <li>multipart form: name, file name, content type and bytes of each part, in order; not the boundary.
 *   <li>JSON up to {@value #MAX_JSON_BYTES} bytes: canonical, as in {@link Fingerprint.Builder#json}; what is not JSON
 *       after all, names a member twice, or is longer, byte by byte.
 *   <li>everything else, compressed bodies included: byte by byte.
 *   <li>content type: without its parameters, and empty where the body is.
 * </ul>
 */
public final class RequestFingerprint {
    /** The version of this choice of parts. */
    public static final int VERSION = 1;

    /** The most bytes of a JSON body that are compared as JSON. */
    public static final int MAX_JSON_BYTES = 4 * 1024 * 1024;

    private final Fingerprint.Builder parts = Fingerprint.builder().version(VERSION);

    /**
     * Begins with the request's line.
     *
     * @param path as it was sent, without the query
     * @param query as it was sent, or null
     */
    public RequestFingerprint(String method, String path, @Nullable String query) {
        parts.text("method", method.toUpperCase(Locale.ROOT)).text("path", path);
        String text = query == null ? "" : query;
        try {
            parts.text("query", canonical(FormFields.parse(text, StandardCharsets.UTF_8)));
        } catch (BadBodyException e) {
            parts.text("query", "?" + text);
        }
    }

    /** Ends with the fields of a form. */
    public Fingerprint form(MediaType type, List<FormFields.Field> fields) {
        return parts.text("content-type", name(type))
                .text("body", canonical(fields))
                .build();
    }

    /** Ends with the parts of a multipart form. */
    public Fingerprint multipart(MediaType type, BufferedBody body, MultipartForm form) {
        StringBuilder text = new StringBuilder();
        for (MultipartForm.Part part : form.parts()) {
            append(text, part.name());
            append(text, part.fileName());
            append(text, part.contentType());
            append(text, HexFormat.of().formatHex(body.sha256(part.from(), part.length())));
        }
        return parts.text("content-type", name(type))
                .text("body", text.toString())
                .build();
    }

    /**
     * Ends with any other body.
     *
     * @param contentType the header, or null
     * @param compressed whether the body has a content encoding
     */
    public Fingerprint body(@Nullable String contentType, boolean compressed, BufferedBody body) throws IOException {
        MediaType type = mediaType(contentType);
        String shown = type != null ? name(type) : contentType == null ? "" : contentType;
        parts.text("content-type", body.size() == 0 ? "" : shown);
        if (type != null && isJson(type) && !compressed && body.size() <= MAX_JSON_BYTES && json(type, body)) {
            return parts.build();
        }
        return parts.bytes(
                        "body", ("bytes " + HexFormat.of().formatHex(body.sha256())).getBytes(StandardCharsets.UTF_8))
                .build();
    }

    private boolean json(MediaType type, BufferedBody body) throws IOException {
        try {
            Charset charset = type.getCharset() == null ? StandardCharsets.UTF_8 : type.getCharset();
            String text =
                    charset.newDecoder().decode(ByteBuffer.wrap(body.bytes())).toString();
            parts.json("body", text);
            return true;
        } catch (InvalidJsonException | CharacterCodingException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** The media type of a header, or null if there is none or it is malformed. */
    public static @Nullable MediaType mediaType(@Nullable String contentType) {
        try {
            return contentType == null || contentType.isBlank() ? null : MediaType.parseMediaType(contentType);
        } catch (InvalidMediaTypeException e) {
            return null;
        }
    }

    /** Whether the type is JSON. */
    public static boolean isJson(MediaType type) {
        String subtype = type.getSubtype().toLowerCase(Locale.ROOT);
        return type.getType().equalsIgnoreCase("application") && (subtype.equals("json") || subtype.endsWith("+json"));
    }

    private static String name(MediaType type) {
        return (type.getType() + "/" + type.getSubtype()).toLowerCase(Locale.ROOT);
    }

    private static String canonical(List<FormFields.Field> fields) {
        StringBuilder text = new StringBuilder();
        fields.stream().sorted(Comparator.comparing(FormFields.Field::name)).forEach(field -> {
            append(text, field.name());
            append(text, field.value());
        });
        return text.toString();
    }

    /** Writes the length too, so that no two lists of texts have one form. */
    private static void append(StringBuilder out, @Nullable String text) {
        if (text == null) {
            out.append("-;");
        } else {
            out.append(text.length()).append(':').append(text).append(';');
        }
    }
}
