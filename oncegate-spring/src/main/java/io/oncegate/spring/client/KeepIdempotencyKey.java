package io.oncegate.spring.client;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes each invocation of a retried method one {@link LogicalCall}: the requests it sends keep their keys over the retries
 * of Spring Framework's {@code @Retryable}, Spring Retry's, or any other advice on the same bean. Needs the bean {@link
 * KeepIdempotencyKeyPostProcessor}. A method that calls itself through {@code this} is not advised, as with every proxy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface KeepIdempotencyKey {}
