package io.oncegate.shop.order;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * An order that waits for its payment, its row locked.
 *
 * @param paying the payment that is under way, if one is
 * @param payments how many were begun
 */
public record UnpaidOrder(
        long id,
        String orderNo,
        BigDecimal amount,
        @Nullable String paying,
        int payments) {}
