package io.oncegate.spring.internal;

/** A value that makes no key, scope or fingerprint; the message ends a sentence that begins with the value's place. */
public final class UnusableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableException(String reason) {
        super(reason, null, false, false);
    }
}
