package io.oncegate.spring.http;

/** A body that is not of the form that its content type says. The message says what to correct and quotes nothing. */
public final class BadBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public BadBodyException(String message) {
        super(message);
    }
}
