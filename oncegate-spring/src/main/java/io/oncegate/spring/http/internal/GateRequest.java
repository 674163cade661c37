package io.oncegate.spring.http.internal;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.key.JsonPointer;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.BadBodyException;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.KeyRequest;
import io.oncegate.spring.http.RequestFingerprint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

/**
 * A request as key sources see it.
 *
 * @param scope the caller, or null
 * @param lines gives the values of a header
 * @param query as it was sent, or null
 * @param body the body, or null if it has not been read
 */
public record GateRequest(
        @Nullable Scope scope,
        Function<String, List<String>> lines,
        @Nullable String query,
        @Nullable RequestBody body) implements KeyRequest {

    @Override
    public List<String> headers(String name) {
        return lines.apply(name);
    }

    /** Of a query that is malformed nothing is read. */
    @Override
    public List<String> queryParameters(String name) {
        try {
            return values(FormFields.parse(query == null ? "" : query, StandardCharsets.UTF_8), name);
        } catch (BadBodyException e) {
            return List.of();
        }
    }

    @Override
    public List<String> formFields(String name) {
        return body == null || body.fields() == null ? List.of() : values(body.fields(), name);
    }

    private static List<String> values(List<FormFields.Field> fields, String name) {
        return fields.stream()
                .filter(field -> field.name().equals(name))
                .map(FormFields.Field::value)
                .toList();
    }

    @Override
    public Optional<String> jsonField(JsonPointer pointer) {
        if (body == null || body.compressed() || body.bytes().size() == 0) {
            return Optional.empty();
        }
        MediaType type = body.type();
        if (type == null
                || !RequestFingerprint.isJson(type)
                || body.bytes().size() > RequestFingerprint.MAX_JSON_BYTES) {
            return Optional.empty();
        }
        try {
            Charset charset = type.getCharset() == null ? StandardCharsets.UTF_8 : type.getCharset();
            return pointer.text(charset.newDecoder()
                    .decode(ByteBuffer.wrap(body.bytes().bytes()))
                    .toString());
        } catch (CharacterCodingException | IllegalArgumentException | UnsupportedOperationException e) {
            throw new InvalidJsonException("the body is not of the charset that its content type says");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
