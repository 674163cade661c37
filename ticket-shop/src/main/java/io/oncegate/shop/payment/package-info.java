/** Payments of orders: what was asked of the provider and what came of it, for the shop's own code. */
@NullMarked
package io.oncegate.shop.payment;

import org.jspecify.annotations.NullMarked;
