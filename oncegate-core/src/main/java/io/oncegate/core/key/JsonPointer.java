package io.oncegate.core.key;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.error.InvalidKeyException;
import java.util.Optional;

/** The place of a text in a JSON document (RFC 6901), such as {@code /requestId}. Immutable. */
public final class JsonPointer {
    private final String pointer;

    private JsonPointer(String pointer) {
        this.pointer = pointer;
    }

    /**
     * A pointer.
     *
     * @param pointer with a slash before each step
     * @throws IllegalArgumentException if it does not begin with a slash
     */
    public static JsonPointer of(String pointer) {
        if (!pointer.startsWith("/")) {
            throw new IllegalArgumentException("a JSON pointer begins with a slash, like /requestId: " + pointer);
        }
        return new JsonPointer(pointer);
    }

    /**
     * The text that stands there, or empty if the document has no such place.
     *
     * @throws InvalidJsonException if this is not JSON, or names a member twice
     * @throws InvalidKeyException if something else stands there: a number, null, an object
     */
    public Optional<String> text(String json) {
        Object value = JsonText.at(JsonText.parse(json), pointer);
        if (value == JsonText.MISSING) {
            return Optional.empty();
        }
        if (!(value instanceof String text)) {
            throw new InvalidKeyException("the field " + pointer + " holds something else than text; send a string");
        }
        return Optional.of(text);
    }

    /** The pointer. */
    @Override
    public String toString() {
        return pointer;
    }
}
