/** Same-transaction mode in Spring's transactions, for those who use Spring's transaction managers. */
@NullMarked
package io.oncegate.spring.tx;

import org.jspecify.annotations.NullMarked;
