package io.oncegate.spring.tx.internal;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named value of a row.
 *
 * @param name as messages and mismatches name it
 * @param value reads it
 * @param <T> what a row is mapped to
 */
public record Field<T>(String name, Function<? super T, ? extends @Nullable Object> value) {
    @Nullable
    Object of(T row) {
        return value.apply(row);
    }
}
