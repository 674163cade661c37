/** Insert-first and versioned update for users of MyBatis in Spring's transactions. */
@NullMarked
package io.oncegate.spring.mybatis;

import org.jspecify.annotations.NullMarked;
