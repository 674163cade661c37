package io.oncegate.spring.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Switches {@link Locked} and {@link OncePerWindow} on. The application has a {@code Locks} bean, and a {@code CallerScope}
 * bean unless each method names its scope. A {@code ResultCodec} bean stores the results of {@link WhenHeld#RESULT}; without one only the platform's
 * simple types can be stored. {@code LockListener} beans are told of calls that run unprotected.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LocksRegistrar.class)
public @interface EnableLocks {
    /**
     * Whether an annotated method that is not protected stops the start; else it is logged as a warning. The property
     * {@code oncegate.annotations.strict} goes before.
     */
    boolean strict() default true;

    /** Whether proxies are subclasses also where a bean has interfaces. */
    boolean proxyTargetClass() default false;

    /**
     * The place among advices; what has a higher number is inside. By default locks are inside of {@code @Idempotent}, so
     * that a replay needs none, and outside of {@code @Transactional}, so that they end after the commit.
     */
    int order() default LockedMethods.ORDER;
}
