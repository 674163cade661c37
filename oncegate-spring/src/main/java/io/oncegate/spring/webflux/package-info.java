/** The HTTP gate for Spring WebFlux: for applications that protect their endpoints. */
@NullMarked
package io.oncegate.spring.webflux;

import org.jspecify.annotations.NullMarked;
