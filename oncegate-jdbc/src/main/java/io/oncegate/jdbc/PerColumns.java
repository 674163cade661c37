package io.oncegate.jdbc;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What is made once for each list of columns that an application inserts: it has a few, and a text of SQL costs more to put
 * together than to send. Bounded, for those who make up their columns as they go. Thread-safe.
 *
 * @param <T> what is made; immutable
 */
final class PerColumns<T> {
    private static final int MOST = 64;

    private final Map<List<String>, T> known = new ConcurrentHashMap<>();
    private final Function<List<String>, T> maker;

    PerColumns(Function<List<String>, T> maker) {
        this.maker = maker;
    }

    /** What these columns have, in their order; the list is not to be changed any more. What cannot be made is not kept. */
    T of(List<String> columns) {
        T made = known.get(columns);
        if (made == null) {
            made = maker.apply(columns);
            if (known.size() < MOST) {
                known.put(columns, made);
            }
        }
        return made;
    }
}
