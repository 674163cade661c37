/** A concert ticket shop that shows all gates at work, for readers who want to see them run. */
@NullMarked
package io.oncegate.shop;

import org.jspecify.annotations.NullMarked;
