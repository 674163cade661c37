package io.oncegate.jdbc;

import io.oncegate.core.error.OncegateException;

/**
 * A table, column or constraint is missing, or is not as it has to be. Found by the checks at start-up; without them at the first
 * request that it matters to, whose work is not done.
 */
public final class SchemaException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public SchemaException(String message) {
        super(message, null, null);
    }
}
