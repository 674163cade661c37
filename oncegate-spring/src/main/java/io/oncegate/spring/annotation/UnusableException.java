package io.oncegate.spring.annotation;

/** A value that makes no key, scope or fingerprint; the message ends a sentence that begins with the value's place. */
final class UnusableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableException(String reason) {
        super(reason, null, false, false);
    }
}
