/** What insert-first and versioned update share among JPA, Spring Data JDBC and MyBatis; for nobody outside of this module. */
@NullMarked
package io.oncegate.spring.tx.internal;

import org.jspecify.annotations.NullMarked;
