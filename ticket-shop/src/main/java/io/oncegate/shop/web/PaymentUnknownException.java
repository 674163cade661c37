package io.oncegate.shop.web;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Nobody knows yet whether a payment has been taken. */
final class PaymentUnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final Duration LATER = Duration.ofSeconds(5);

    private final Duration retryAfter;

    PaymentUnknownException(@Nullable Duration retryAfter) {
        super(
                "The payment provider has not answered, so nobody knows yet whether the money has been taken. The shop is"
                        + " finding out, and takes it once at most. GET the order, or send the same request again after the"
                        + " time given by Retry-After.",
                null,
                false,
                false);
        this.retryAfter = retryAfter == null ? LATER : retryAfter;
    }

    Duration retryAfter() {
        return retryAfter;
    }
}
