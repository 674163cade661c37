/** One-time tokens that the server issues: for those who protect an entry with them, and for those who write their stores. */
@NullMarked
package io.oncegate.core.token;

import org.jspecify.annotations.NullMarked;
