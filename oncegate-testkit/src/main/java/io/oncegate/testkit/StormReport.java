package io.oncegate.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What became of the copies of a {@link DuplicateStorm}.
 *
 * @param copies one entry for each copy, in the order of their numbers
 */
public record StormReport<T>(List<Copy<T>> copies) {
    /** What became of one copy. */
    public sealed interface Copy<T> {}

    /**
     * It returned.
     *
     * @param value what it returned, which may be null
     */
    public record Returned<T>(@Nullable T value) implements Copy<T> {}

    /**
     * It failed.
     *
     * @param failure what it threw
     */
    public record Threw<T>(Throwable failure) implements Copy<T> {}

    /** The values of the copies that returned, nulls among them. */
    public List<@Nullable T> returned() {
        List<@Nullable T> values = new ArrayList<>();
        for (Copy<T> copy : copies) {
            if (copy instanceof Returned<T> returned) {
                values.add(returned.value());
            }
        }
        return values;
    }

    /** What the copies that failed threw. */
    public List<Throwable> threw() {
        List<Throwable> failures = new ArrayList<>();
        for (Copy<T> copy : copies) {
            if (copy instanceof Threw<T> threw) {
                failures.add(threw.failure());
            }
        }
        return failures;
    }

    /** The different values that were returned; null is one. */
    public Set<@Nullable T> distinct() {
        return returned().stream().collect(Collectors.toSet());
    }

    /** How many copies returned a value like this. */
    public long count(Predicate<? super @Nullable T> like) {
        return returned().stream().filter(like).count();
    }

    /**
     * The values, if no copy failed.
     *
     * @throws AssertionError if one did; the others' failures are suppressed in it
     */
    public List<@Nullable T> allReturned() {
        List<Throwable> failures = threw();
        if (!failures.isEmpty()) {
            AssertionError error =
                    new AssertionError(failures.size() + " of " + copies.size() + " copies failed", failures.get(0));
            failures.stream().skip(1).forEach(error::addSuppressed);
            throw error;
        }
        return returned();
    }
}
