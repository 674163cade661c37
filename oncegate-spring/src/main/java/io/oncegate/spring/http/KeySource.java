package io.oncegate.spring.http;

import io.oncegate.core.key.JsonPointer;

/**
 * Where the key of a request stands. Thread-safe.
 *
 * <p>A source of one's own is a function. It may refuse a request with a problem of its own
 * ({@link KeyReading.Refused}), and be told how the request came to its end ({@link ExchangeEnd}).
 */
@FunctionalInterface
public interface KeySource {
    /**
     * The attribute of a request under which handlers behind a gate find its key, a {@code String}: to hand it on to what
     * guards the effect, as with {@code @RequestAttribute(KeySource.ATTRIBUTE) String key}. It is the caller's alone, so that
     * it is to be used together with the caller. Not there where a request runs without a key.
     */
    String ATTRIBUTE = "io.oncegate.key";

    /** Reads the key of a request. Called once for each request, whose caller has been named by then, or is not known. */
    KeyReading read(KeyRequest request);

    /** Whether the body has to be read first. If not, the body's fields are not there. By default it has to. */
    default boolean needsBody() {
        return true;
    }

    /** Whether {@link #read} may wait, for example for a store; then no event loop calls it. By default it may. */
    default boolean mayBlock() {
        return true;
    }

    /** What a client has to send, such as {@code the header Idempotency-Key}: for messages. */
    default String description() {
        return "an idempotency key";
    }

    /** The header {@code Idempotency-Key}, in its lenient mode. {@link IdempotencyKeyHeader} is a source as well. */
    static KeySource header() {
        return IdempotencyKeyHeader.lenient();
    }

    /**
     * A text in a JSON body.
     *
     * @param pointer its place (RFC 6901), such as {@code /requestId}
     */
    static KeySource jsonField(String pointer) {
        return new FieldSource.Json(JsonPointer.of(pointer));
    }

    /** A field of a form, URL-encoded or multipart. */
    static KeySource formField(String name) {
        return new FieldSource.Form(name);
    }

    /** A parameter of the query. */
    static KeySource queryParameter(String name) {
        return new FieldSource.Query(name);
    }

    /** This source, or where it finds nothing another. What one of them refuses is refused. */
    default KeySource or(KeySource other) {
        return new FieldSource.Either(this, other);
    }
}
