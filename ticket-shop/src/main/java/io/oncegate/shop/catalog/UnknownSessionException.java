package io.oncegate.shop.catalog;

/** There is no session of this number. */
public final class UnknownSessionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception for what is no number of a session. */
    public UnknownSessionException() {
        super("There is no such session; GET /api/sessions lists those there are.");
    }

    /** Creates the exception. */
    public UnknownSessionException(long id) {
        super("There is no session " + id + "; GET /api/sessions lists those there are.");
    }
}
