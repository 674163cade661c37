package io.oncegate.spring.lock;

import io.oncegate.core.Operation;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.lock.LockOptions;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Lets one call of a method of a Spring bean through for each key and window: a second intent within the window is a
 * duplicate, although the first has finished. While the first runs it excludes others as {@link Locked} does, also for
 * longer than the window. A call that ends with an exception closes its window: nothing has happened. Needs {@link
 * EnableLocks}; all that {@link Locked} says counts here too.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OncePerWindow {
    /** The same as {@link #operation}. */
    @AliasFor("operation")
    String value() default "";

    /** As {@link Locked#operation}. */
    @AliasFor("value")
    String operation() default "";

    /** As {@link Locked#key}. */
    String key() default "";

    /** As {@link Locked#scope}. */
    String scope() default "";

    /** How long others are refused, from the moment at which the lock was acquired; 1 ms to 30 days. Required. */
    String window() default "";

    /** Failures after which the window stays open; after all others it closes, because nothing has happened. */
    Class<? extends Throwable>[] keepOn() default {};

    /** As {@link Locked#lease}. */
    String lease() default "";

    /** As {@link Locked#renewed}. */
    boolean renewed() default true;

    /** As {@link Locked#maxHold}; by default {@link LockOptions#DEFAULT_MAX_HOLD}. */
    String maxHold() default "";

    /** As {@link Locked#whenHeld}. */
    WhenHeld whenHeld() default WhenHeld.REFUSE;

    /** As {@link Locked#waitUpTo}; without it {@code RESULT} takes what is there at once. */
    String waitUpTo() default "";

    /** As {@link Locked#whenStoreDown}. */
    WhenStoreDown whenStoreDown() default WhenStoreDown.REFUSE;

    /** As {@link Locked#maxResultBytes}. */
    int maxResultBytes() default Operation.DEFAULT_MAX_RESULT_BYTES;

    /** As {@link Locked#failOnLost}. */
    boolean failOnLost() default false;

    /** As {@link Locked#locks}. */
    String locks() default "";
}
