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
 * Makes the calls of a method of a Spring bean with equal keys exclude each other: a hold until done. The lock is free again
 * when the work has ended, and the transaction with it. It is mutual exclusion and not idempotency: a repetition that
 * comes later runs again. Needs {@link EnableLocks}. May stand on another annotation that passes attributes on by {@link
 * AliasFor}.
 *
 * <p>Expressions are SpEL, as in {@code @Idempotent}: the arguments by name ({@code #request}) and by position ({@code
 * #p0}), and beans ({@code @tenants}). Durations are as Spring reads them: {@code 30s}, {@code PT30S}, {@code
 * ${orders.lease}}. All is checked at start-up.
 *
 * <p>A call throws {@code InProgressException} if the lock is held, {@code StoreUnavailableException}, {@code
 * InvalidKeyException}, {@code CallerUnknownException}, {@link UnsafeHoldException} and {@link LockLostException}; nothing
 * has been run then, but for the last one. Methods that name the same operation share its locks.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Locked {
    /** A scope: the calls of all callers exclude each other. */
    String GLOBAL = "T(io.oncegate.core.key.Scope).global()";

    /** The same as {@link #operation}. */
    @AliasFor("operation")
    String value() default "";

    /** Name of the lock, part of every key; stable across refactoring. Placeholders are resolved. */
    @AliasFor("value")
    String operation() default "";

    /** The key, by the rules of {@code @Idempotent}. A quoted text, {@code 'all'}, makes one lock for all calls of a scope. */
    String key() default "";

    /** Who asks: text, several texts, a principal or a {@code Scope}. By default the {@code CallerScope} bean says it. */
    String scope() default "";

    /** How long the lock is held unrenewed; by default {@link LockOptions#DEFAULT_LEASE}. */
    String lease() default "";

    /** Whether the lease is renewed until the work has ended. */
    boolean renewed() default true;

    /** After how long renewals end; by default {@link LockOptions#DEFAULT_MAX_HOLD}. */
    String maxHold() default "";

    /** What a call is answered with that meets another one. */
    WhenHeld whenHeld() default WhenHeld.REFUSE;

    /** How long a call waits that may; not longer than a day. Needed where {@link #whenHeld} is not {@code REFUSE}. */
    String waitUpTo() default "";

    /** What happens while the store is down. A call that runs unprotected is logged and counted. */
    WhenStoreDown whenStoreDown() default WhenStoreDown.REFUSE;

    /** The most bytes of a result that is given to others; at most the default. */
    int maxResultBytes() default Operation.DEFAULT_MAX_RESULT_BYTES;

    /**
     * Whether a call throws {@link LockLostException} if its lock was lost while it ran; a transaction around it is rolled
     * back where that is known before its commit. If not, its result is returned all the same. Logged and counted either way.
     */
    boolean failOnLost() default false;

    /** Name of the {@code Locks} bean; needed where there are several. */
    String locks() default "";
}
