package io.oncegate.shop.order;

/** The caller has no order of this number; whether somebody else has is not told. */
public final class UnknownOrderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public UnknownOrderException() {
        super("You have no order of this number; GET /api/orders lists yours.");
    }
}
