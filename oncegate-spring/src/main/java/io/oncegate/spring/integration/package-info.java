/** The lock registry of Spring Integration on Oncegate's locks, for those who use one already. */
@NullMarked
package io.oncegate.spring.integration;

import org.jspecify.annotations.NullMarked;
