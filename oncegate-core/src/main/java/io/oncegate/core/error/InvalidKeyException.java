package io.oncegate.core.error;

/** A key, scope or operation name that cannot be used: blank, over-long or not valid Unicode. Nothing was asked of a store. */
public final class InvalidKeyException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message never contains the refused value. */
    public InvalidKeyException(String message) {
        super(message, null, null);
    }
}
