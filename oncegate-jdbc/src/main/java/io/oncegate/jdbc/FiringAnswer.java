package io.oncegate.jdbc;

import io.oncegate.core.error.OncegateException;
import io.oncegate.core.state.Fired;
import org.jspecify.annotations.Nullable;

/**
 * What a firing has come to before its actions run.
 *
 * @param fired the outcome, or null
 * @param refusal what is thrown instead, once the transaction has been ended as it should; or null
 * @param firing the transition whose actions are to run; or null
 */
record FiringAnswer<S extends Enum<S>, E extends Enum<E>>(
        @Nullable Fired<S, E> fired,
        @Nullable OncegateException refusal,
        @Nullable JdbcFiring<S, E> firing) {
    static <S extends Enum<S>, E extends Enum<E>> FiringAnswer<S, E> of(Fired<S, E> fired) {
        return new FiringAnswer<>(fired, null, null);
    }

    static <S extends Enum<S>, E extends Enum<E>> FiringAnswer<S, E> refused(OncegateException refusal) {
        return new FiringAnswer<>(null, refusal, null);
    }

    static <S extends Enum<S>, E extends Enum<E>> FiringAnswer<S, E> moved(JdbcFiring<S, E> firing) {
        return new FiringAnswer<>(new Fired.Applied<>(firing.from(), firing.to(), firing.version()), null, firing);
    }

    /** The outcome, or the refusal. */
    Fired<S, E> get() {
        if (refusal != null) {
            throw refusal;
        } else if (fired == null) {
            throw new IllegalStateException("a firing has an outcome or a refusal");
        }
        return fired;
    }
}
