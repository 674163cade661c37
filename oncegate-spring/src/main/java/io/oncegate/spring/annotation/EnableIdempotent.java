package io.oncegate.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Switches {@link Idempotent} on. The application has an {@link Oncegates} bean, or one {@code Oncegate} bean that works in
 * claimed mode, and a {@link CallerScope} bean unless each method names its scope.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(IdempotentRegistrar.class)
public @interface EnableIdempotent {
    /**
     * Whether an annotated method that is not protected stops the start; else it is logged as a warning. The property
     * {@value IdempotentMethods#STRICT} goes before.
     */
    boolean strict() default true;

    /** Whether proxies are subclasses also where a bean has interfaces. */
    boolean proxyTargetClass() default false;
}
