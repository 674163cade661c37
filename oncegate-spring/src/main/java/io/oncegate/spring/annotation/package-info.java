/** Idempotent methods of Spring beans by annotation, for those who protect a service or a controller declaratively. */
@NullMarked
package io.oncegate.spring.annotation;

import org.jspecify.annotations.NullMarked;
