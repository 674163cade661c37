package io.oncegate.shop.provider;

import java.math.BigDecimal;

/**
 * Money that was taken.
 *
 * @param key the idempotency key under which it was asked for
 * @param order what the caller calls it
 * @param reference the provider's own number
 */
public record Charge(String key, String order, BigDecimal amount, String reference) {}
