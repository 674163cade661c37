package io.oncegate.jdbc;

import io.oncegate.core.error.OncegateException;

/** The database does not have the table that the stores need. Found at start-up, before any request. */
public final class SchemaException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public SchemaException(String message) {
        super(message, null, null);
    }
}
