package io.oncegate.shop.web;

/** The body is JSON and yet no order. */
final class BadOrderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadOrderException(String message) {
        super(message);
    }
}
