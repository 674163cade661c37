/** A payment provider that the shop brings along: it stands for somebody else's service, and is spoken to by HTTP alone. */
@NullMarked
package io.oncegate.shop.provider;

import org.jspecify.annotations.NullMarked;
