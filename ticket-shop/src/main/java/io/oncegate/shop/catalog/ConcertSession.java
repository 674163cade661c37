package io.oncegate.shop.catalog;

import java.math.BigDecimal;

/**
 * One evening of a concert.
 *
 * @param price of one seat
 * @param stock seats that are left, never below 0
 */
public record ConcertSession(long id, String name, BigDecimal price, int stock) {}
