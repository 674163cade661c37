package io.oncegate.shop.order;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * What a customer sees of an order. It is also the result that the gate keeps, so that a repetition gets the first answer.
 *
 * @param amount price of all seats together
 * @param createdAt to the millisecond, as the table keeps it
 */
public record Order(
        String orderNo, OrderStatus status, long sessionId, int quantity, BigDecimal amount, Instant createdAt) {
    /** The same order in another state. */
    public Order as(OrderStatus other) {
        return new Order(orderNo, other, sessionId, quantity, amount, createdAt);
    }
}
