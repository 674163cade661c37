package io.oncegate.spring.annotation;

import io.oncegate.core.error.OncegateException;

/** Nobody is named for whom the key could be kept. Nothing was run and nothing was stored. */
public final class CallerUnknownException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message says what to do. */
    public CallerUnknownException(String message) {
        super(message, null, null);
    }
}
