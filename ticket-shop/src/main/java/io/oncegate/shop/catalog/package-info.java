/** Concert sessions and their seats, for the shop's own code. */
@NullMarked
package io.oncegate.shop.catalog;

import org.jspecify.annotations.NullMarked;
