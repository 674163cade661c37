package io.oncegate.shop.web;

/** A form came from nobody whom the shop knows. */
final class UnknownCallerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownCallerException() {
        super("The form came without the shop's cookie. Open the page of the session first, and send its form.");
    }
}
