/** Puts the gates together: stores, engines and the HTTP filter, for the shop's own code. */
@NullMarked
package io.oncegate.shop.gate;

import org.jspecify.annotations.NullMarked;
