package io.oncegate.shop.payment;

/** This payment has come to nothing meanwhile; the order may have another one. */
final class PaymentClosedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PaymentClosedException() {
        super("this payment was closed, and nothing was taken; begin another one", null, false, false);
    }
}
