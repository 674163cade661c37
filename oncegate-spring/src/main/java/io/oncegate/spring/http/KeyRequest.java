package io.oncegate.spring.http;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.JsonPointer;
import io.oncegate.core.key.Scope;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a {@link KeySource} may read of a request. To be used while the source is asked, and not afterwards. */
public interface KeyRequest {
    /** The caller, without the resource; null if it is not known: then the request is refused, whatever key it has. */
    @Nullable
    Scope scope();

    /** The values of all header lines of this name, in their order. */
    List<String> headers(String name);

    /** The decoded values of a parameter of the query, in their order. */
    List<String> queryParameters(String name);

    /**
     * The values of a field of the body's form, URL-encoded or multipart, in their order; files are no such fields. Empty
     * where the body is no form, or the source does not need the body.
     */
    List<String> formFields(String name);

    /**
     * The text at a place of the JSON body. Empty where there is none, the body is not of a JSON type, is compressed or
     * longer than {@link RequestFingerprint#MAX_JSON_BYTES}, or the source does not need the body.
     *
     * @throws InvalidJsonException if the body is not JSON after all
     * @throws InvalidKeyException if something other than text stands there
     */
    Optional<String> jsonField(JsonPointer pointer);
}
