/** The shop's HTTP side: controllers, the caller's name, and errors as problem details, for the shop's own code. */
@NullMarked
package io.oncegate.shop.web;

import org.jspecify.annotations.NullMarked;
