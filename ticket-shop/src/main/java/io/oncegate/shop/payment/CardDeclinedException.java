package io.oncegate.shop.payment;

/** The provider has declined the payment. Definitive for this payment; the order waits for another one. */
public final class CardDeclinedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CardDeclinedException() {
        this(
                "The card was declined and nothing was taken. The order waits for another payment; pay it again with another"
                        + " card, or cancel it.");
    }

    CardDeclinedException(String message) {
        super(message);
    }
}
