/** Insert-first and versioned update for users of JPA with Hibernate in Spring's transactions. */
@NullMarked
package io.oncegate.spring.jpa;

import org.jspecify.annotations.NullMarked;
