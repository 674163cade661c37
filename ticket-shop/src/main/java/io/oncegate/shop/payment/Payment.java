package io.oncegate.shop.payment;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to pay an order.
 *
 * @param key of this row, and with it the idempotency key at the provider: never anything that a caller has sent
 * @param attempt 1 or more
 * @param reference the provider's number of money that was taken
 * @param createdAt before the provider was first asked
 * @param askedAt when it was last asked for the money, or was about to be
 */
public record Payment(
        String key,
        String user,
        String orderNo,
        int attempt,
        BigDecimal amount,
        PaymentState state,
        @Nullable String reference,
        Instant createdAt,
        Instant askedAt) {}
