/** Sets Oncegate up in a Spring Boot application, from what is on the class path and from {@code oncegate.*} properties. */
@NullMarked
package io.oncegate.boot;

import org.jspecify.annotations.NullMarked;
