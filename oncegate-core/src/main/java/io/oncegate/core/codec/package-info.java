/** Turns results into bytes and back by their declared type, for users who choose or write a codec. */
@NullMarked
package io.oncegate.core.codec;

import org.jspecify.annotations.NullMarked;
