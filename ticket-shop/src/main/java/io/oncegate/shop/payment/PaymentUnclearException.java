package io.oncegate.shop.payment;

import org.jspecify.annotations.Nullable;

/** Nobody knows whether the money has been taken. */
final class PaymentUnclearException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PaymentUnclearException(String why, @Nullable Throwable cause) {
        super("what became of a payment is not known yet: " + why + "; the provider is asked again", cause);
    }
}
