package io.oncegate.spring.tx.internal;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.GuardValues;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.SpareRead;
import io.oncegate.jdbc.UniqueConstraint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares the row that was to be inserted with the one that is there: the guard's values byte for byte, for a collation may
 * take two requests for one, and the values that a repetition has to agree in. Immutable.
 *
 * @param <T> what a row is mapped to
 */
public final class Comparison<T> {
    private final String what;
    private final List<Field<T>> key;
    private final List<Field<T>> content;

    /**
     * Creates it.
     *
     * @param what the entity's name, for messages
     */
    public Comparison(String what, List<Field<T>> key, List<Field<T>> content) {
        this.what = what;
        this.key = List.copyOf(key);
        this.content = List.copyOf(content);
    }

    void requireKey(T row) {
        GuardValues.require(names(), values(row));
    }

    private List<String> names() {
        return key.stream().map(Field::name).toList();
    }

    private Map<String, @Nullable Object> values(T row) {
        Map<String, @Nullable Object> values = new HashMap<>();
        key.forEach(field -> values.put(field.name(), field.of(row)));
        return values;
    }

    void requireSame(T asked, T found) {
        for (Field<T> field : key) {
            Object one = field.of(asked);
            if (one instanceof CharSequence && !one.toString().equals(String.valueOf(field.of(found)))) {
                throw new SchemaException(
                        what + ": another key is the same as this one to the column of " + field.name()
                                + ", although its bytes are not; give the column a binary collation without padding. Nothing was"
                                + " inserted, and the other key's row is not shown");
            }
        }
        List<String> different = content.stream()
                .filter(field -> !Same.values(field.of(asked), field.of(found)))
                .map(Field::name)
                .toList();
        if (!different.isEmpty()) {
            throw new MismatchException(what, different, digest(asked));
        }
    }

    /** A wait on a lock that has run out means that another transaction is at work on the same row; else the same exception. */
    RuntimeException orInProgress(Exception failure, T row, Duration lockWait) {
        if (RetryPolicy.isLockedOut(failure)) {
            InProgressException inProgress = new InProgressException(what, lockWait, digest(row));
            inProgress.addSuppressed(failure);
            return inProgress;
        }
        return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
    }

    StoreUnavailableException hidden() {
        return SpareRead.notAllowed(store(), "call spareConnection()");
    }

    /** As exceptions name it. */
    String store() {
        return "jdbc:" + what;
    }

    StoreUnavailableException vanished(UniqueConstraint guard) {
        return new StoreUnavailableException(
                store(),
                guard
                        + " refuses the row again and again, and no row with its values is found; see that the look-up goes by"
                        + " the columns of " + guard + ", and whether rows are deleted meanwhile",
                null);
    }

    private String digest(T row) {
        return GuardValues.digest(what, names(), values(row));
    }
}
