package io.oncegate.spring.annotation;

import io.oncegate.core.Oncegate;
import org.jspecify.annotations.Nullable;

/**
 * The engines that annotated methods run on, one for each mode. Immutable.
 *
 * @param claimed works in claimed mode, or null
 * @param sameTransaction works in same-transaction mode in Spring's transactions, or null
 * @param defaultMode the mode of methods that name none; never {@code DEFAULT}
 */
public record Oncegates(
        @Nullable Oncegate claimed, @Nullable Oncegate sameTransaction, Idempotent.Mode defaultMode) {
    /** Checks that the default mode has an engine. */
    public Oncegates {
        Oncegate standard = switch (defaultMode) {
            case CLAIMED -> claimed;
            case SAME_TRANSACTION -> sameTransaction;
            case DEFAULT -> null;
        };
        if (standard == null) {
            throw new IllegalArgumentException(
                    "the default mode " + defaultMode + " has no engine; give one, or name the other mode");
        }
    }

    /** One engine in claimed mode. */
    public static Oncegates claimed(Oncegate claimed) {
        return new Oncegates(claimed, null, Idempotent.Mode.CLAIMED);
    }

    /** One engine in same-transaction mode. */
    public static Oncegates sameTransaction(Oncegate sameTransaction) {
        return new Oncegates(null, sameTransaction, Idempotent.Mode.SAME_TRANSACTION);
    }

    @Nullable
    Oncegate of(Idempotent.Mode mode) {
        return effective(mode) == Idempotent.Mode.CLAIMED ? claimed : sameTransaction;
    }

    Idempotent.Mode effective(Idempotent.Mode mode) {
        return mode == Idempotent.Mode.DEFAULT ? defaultMode : mode;
    }
}
