/** The record, its pure state machine and the store interfaces, for those who write stores. */
@NullMarked
package io.oncegate.core.spi;

import org.jspecify.annotations.NullMarked;
