/** Insert-first and versioned update for users of Spring Data JDBC. */
@NullMarked
package io.oncegate.spring.datajdbc;

import org.jspecify.annotations.NullMarked;
