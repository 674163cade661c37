package io.oncegate.spring.http;

/** The problems that a gate answers with (RFC 9457). Type URIs and codes are stable: clients may decide on them. */
public enum ProblemCode {
    /** A protected operation was called without a key. */
    KEY_MISSING("key-missing", 400, "The request has no idempotency key"),
    /** The key's header is malformed, repeated, blank or too long. */
    KEY_INVALID("key-invalid", 400, "The idempotency key cannot be used"),
    /** The body is not of the form that its content type says. */
    BODY_INVALID("body-invalid", 400, "The body cannot be read"),
    /** A token was asked for in a way that is not understood, or for a purpose or mode that there is not. */
    TOKEN_REQUEST_INVALID("token-request-invalid", 400, "The request for a token cannot be read"),
    /** The text is no one-time token. */
    TOKEN_MALFORMED("token-malformed", 400, "The one-time token cannot be read"),
    /** Nobody is named for whom the key could be kept. */
    CALLER_UNKNOWN("caller-unknown", 401, "The caller is not known"),
    /** The caller has no right any more to see the stored answer. */
    REPLAY_FORBIDDEN("replay-forbidden", 403, "The stored answer may not be shown"),
    /** The token was not issued to this caller for this purpose. */
    TOKEN_REFUSED("token-refused", 403, "The one-time token is not for this request"),
    /** The token's time is over. */
    TOKEN_EXPIRED("token-expired", 403, "The one-time token has expired"),
    /** The token was used before, or is not known any more. */
    TOKEN_USED("token-used", 409, "The one-time token was used before"),
    /** The same request is being worked on. */
    IN_PROGRESS("in-progress", 409, "The same request is in progress"),
    /** Nobody knows whether the request took effect. */
    OUTCOME_UNKNOWN("outcome-unknown", 409, "The outcome of this request is unknown"),
    /** The request was done, and its answer is not there any more. */
    RESULT_UNAVAILABLE("result-unavailable", 410, "The request is done, its answer is gone"),
    /** The key is too old, or from the future, and no record of it is left. */
    KEY_EXPIRED("key-expired", 412, "The idempotency key has expired"),
    /** The body is larger than a gate reads. */
    BODY_TOO_LARGE("body-too-large", 413, "The body is too large"),
    /** The key was used for another request. */
    PAYLOAD_MISMATCH("payload-mismatch", 422, "The idempotency key was used for another request"),
    /** The caller has as many unused tokens as one may have. */
    TOKENS_TOO_MANY("tokens-too-many", 429, "Too many unused one-time tokens"),
    /** The business ran, and its outcome could not be recorded. */
    OUTCOME_NOT_RECORDED("outcome-not-recorded", 503, "The outcome could not be recorded"),
    /** The store of keys cannot be asked. Nothing has happened. */
    STORE_UNAVAILABLE("store-unavailable", 503, "Idempotency keys cannot be checked");

    private final String code;
    private final int status;
    private final String title;

    ProblemCode(String code, int status, String title) {
        this.code = code;
        this.status = status;
        this.title = title;
    }

    /** The last part of the type URI, also given as the member {@code code}. */
    public String code() {
        return code;
    }

    /** The type URI. */
    public String type() {
        return "urn:oncegate:problem:" + code;
    }

    /** The answer's status, unless a gate is configured otherwise. */
    public int status() {
        return status;
    }

    /** The title. */
    public String title() {
        return title;
    }
}
