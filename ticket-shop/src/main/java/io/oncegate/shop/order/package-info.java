/** Orders: what is sold to whom, and the operation that sells it once, for the shop's own code. */
@NullMarked
package io.oncegate.shop.order;

import org.jspecify.annotations.NullMarked;
