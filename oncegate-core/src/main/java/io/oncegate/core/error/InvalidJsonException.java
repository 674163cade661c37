package io.oncegate.core.error;

/** A payload that is not the JSON it was said to be, so that no canonical fingerprint exists for it. */
public final class InvalidJsonException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message names the position and never quotes the payload. */
    public InvalidJsonException(String message) {
        super(message, null, null);
    }
}
