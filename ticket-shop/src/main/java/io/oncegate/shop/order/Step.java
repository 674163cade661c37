package io.oncegate.shop.order;

/**
 * An event that has happened to an order.
 *
 * @param order as it stood after it: the same whenever it is asked, also when the order is further on by now
 * @param repeated whether it had happened before
 */
public record Step(Order order, boolean repeated) {}
