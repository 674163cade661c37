/** Exceptions: failures and misuse, all unchecked and under one root, for every user of the toolkit. */
@NullMarked
package io.oncegate.core.error;

import org.jspecify.annotations.NullMarked;
