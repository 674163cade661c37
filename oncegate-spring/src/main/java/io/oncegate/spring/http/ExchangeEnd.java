package io.oncegate.spring.http;

/**
 * Is told how a request whose key was read came to its end. Called once, after the outcome has been recorded and before the
 * answer is sent, on a thread that may wait. What it throws is logged and changes nothing.
 */
@FunctionalInterface
public interface ExchangeEnd {
    /** How it ended. */
    enum How {
        /** The handlers ran, and their answer is the first answer of this key. */
        SUCCEEDED,
        /** The handlers ran and refused, and that refusal is kept. */
        REFUSED,
        /** The handlers ran and failed, nothing has happened, and the key is free. */
        FAILED,
        /** The handlers ran, and nobody knows what came of it, or it could not be recorded. */
        UNKNOWN,
        /** The handlers did not run: the key's record answered, or something else was in the way. */
        NOT_RUN
    }

    /** Tells it. */
    void ended(How how);
}
