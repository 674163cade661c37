package io.oncegate.core.codec;

import io.oncegate.core.error.OncegateException;
import org.jspecify.annotations.Nullable;

/** A value that has no stored form, or a stored form that cannot be read as the declared type. */
public final class ResultCodecException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public ResultCodecException(String message, @Nullable Throwable cause) {
        super(message, null, cause);
    }
}
