package io.oncegate.spring.annotation;

import io.oncegate.core.Oncegate;
import org.jspecify.annotations.Nullable;

/**
 * The engines that annotated methods run on, one for each mode. Immutable.
 *
 * @param claimed works in claimed mode, or null
 * @param sameTransaction works in same-transaction mode in Spring's transactions, or null
 * @param ladder a ladder whose judge works in Spring's transactions, or null
 * @param defaultMode the mode of methods that name none; never {@code DEFAULT}
 */
public record Oncegates(
        @Nullable Oncegate claimed,
        @Nullable Oncegate sameTransaction,
        @Nullable Oncegate ladder,
        Idempotent.Mode defaultMode) {
    /** Checks that the default mode has an engine. */
    public Oncegates {
        if (engine(defaultMode, claimed, sameTransaction, ladder) == null) {
            throw new IllegalArgumentException(
                    "the default mode " + defaultMode + " has no engine; give one, or name another mode");
        }
    }

    /** Engines without a ladder. */
    public Oncegates(@Nullable Oncegate claimed, @Nullable Oncegate sameTransaction, Idempotent.Mode defaultMode) {
        this(claimed, sameTransaction, null, defaultMode);
    }

    /** One engine in claimed mode. */
    public static Oncegates claimed(Oncegate claimed) {
        return new Oncegates(claimed, null, null, Idempotent.Mode.CLAIMED);
    }

    /** One engine in same-transaction mode. */
    public static Oncegates sameTransaction(Oncegate sameTransaction) {
        return new Oncegates(null, sameTransaction, null, Idempotent.Mode.SAME_TRANSACTION);
    }

    /** One ladder. */
    public static Oncegates ladder(Oncegate ladder) {
        return new Oncegates(null, null, ladder, Idempotent.Mode.LADDER);
    }

    private static @Nullable Oncegate engine(
            Idempotent.Mode mode,
            @Nullable Oncegate claimed,
            @Nullable Oncegate sameTransaction,
            @Nullable Oncegate ladder) {
        return switch (mode) {
            case CLAIMED -> claimed;
            case SAME_TRANSACTION -> sameTransaction;
            case LADDER -> ladder;
            case DEFAULT -> null;
        };
    }

    @Nullable
    Oncegate of(Idempotent.Mode mode) {
        return engine(effective(mode), claimed, sameTransaction, ladder);
    }

    Idempotent.Mode effective(Idempotent.Mode mode) {
        return mode == Idempotent.Mode.DEFAULT ? defaultMode : mode;
    }
}
