package io.oncegate.spring.annotation;

import io.oncegate.core.Operation;
import io.oncegate.core.WhenStoreDown;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes a method of a Spring bean an operation whose effect happens once although its call comes twice. A repetition is
 * answered with the first result. Needs {@link EnableIdempotent}. May stand on another annotation that sets some of the
 * attributes and passes others on by {@link AliasFor}.
 *
 * <p>With a key expression every call through the bean's proxy is protected. Without one the method has to be a handler
 * method of a controller, and the HTTP gate takes the key from the request.
 *
 * <p>Expressions are SpEL. They see the arguments by name ({@code #request}, compiled with {@code -parameters}) and by
 * position ({@code #p0}, {@code #a0}), and beans ({@code @tenants}). Durations are as Spring reads them: {@code 30s},
 * {@code PT30S}, {@code ${orders.lease}}. All is checked at start-up.
 *
 * <p>A call throws the exceptions of {@code io.oncegate.core.error}, as {@code Outcome.orElseThrow} does, and moreover
 * {@link CallerUnknownException} and {@link RecursiveCallException}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Idempotent {
    /** A scope: all callers share one key space, so each of them gets the others' results. */
    String GLOBAL = "T(io.oncegate.core.key.Scope).global()";

    /** A fingerprint: the key alone says what is asked for, so that the other arguments do not count. */
    String KEY_ALONE = "''";

    /** The same as {@link #operation}. */
    @AliasFor("operation")
    String value() default "";

    /** Name of the operation, part of every key; stable across refactoring, and one per method. Placeholders are resolved. */
    @AliasFor("value")
    String operation() default "";

    /** The key: text, a number, or other values by their content. Null, blank and {@code "null"} are refused. */
    String key() default "";

    /** Whether a call without a key is refused. If not, a call whose key is null or blank runs without any protection. */
    boolean keyRequired() default true;

    /** What is asked for; by default all arguments. A map makes each of its entries a part that a mismatch names. */
    String fingerprint() default "";

    /** Who asks: text, several texts, a principal or a {@code Scope}. By default the {@link CallerScope} bean says it. */
    String scope() default "";

    /** As {@link Operation.Builder#lease}; by default {@link Operation#DEFAULT_LEASE}. */
    String lease() default "";

    /** As {@link Operation.Builder#retention}; by default {@link Operation#DEFAULT_RETENTION}. */
    String retention() default "";

    /** As {@link Operation.Builder#resultRetention}; by default as long as the retention. */
    String resultRetention() default "";

    /** As {@link Operation.Builder#waitUpTo}; by default a repetition of a running call is refused at once. */
    String waitUpTo() default "";

    /** The limit of {@link Operation.Builder#birthTime}; by default a key's birth time does not count. */
    String birthLimit() default "";

    /** The tolerance of {@link Operation.Builder#birthTime}; by default one minute, where there is a limit. */
    String birthTolerance() default "";

    /** The most bytes of a result that is kept. */
    int maxResultBytes() default Operation.DEFAULT_MAX_RESULT_BYTES;

    /** What happens while the store is down. */
    WhenStoreDown whenStoreDown() default WhenStoreDown.REFUSE;

    /** How record and effect belong together. */
    Mode mode() default Mode.DEFAULT;

    /**
     * Exceptions that are definitive business refusals: kept by their simple name and message, and thrown again. Each has
     * a constructor that takes the message, or one without parameters.
     */
    Class<? extends RuntimeException>[] refusals() default {};

    /** Failures after which nobody knows whether the effect happened. All others say that nothing happened. */
    Class<? extends Throwable>[] unknown() default {};

    /** How record and effect belong together. */
    enum Mode {
        /** As {@link Oncegates#defaultMode} says. */
        DEFAULT,
        /** The record lives apart from the effect. */
        CLAIMED,
        /** Record and effect commit together. */
        SAME_TRANSACTION,
        /** Record and effect commit together, behind a fast store that answers repetitions. */
        LADDER
    }
}
