package io.oncegate.shop.payment;

/** The provider does not work at the moment, and nothing was taken. */
public final class PaymentUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PaymentUnavailableException(String why) {
        super("the payment provider was asked for nothing: " + why + "; the same request may be sent again");
    }
}
