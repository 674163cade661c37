package io.oncegate.jdbc;

import io.oncegate.core.state.Firing;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.Transition;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** One transition of one row, as guards and actions see it. Not thread-safe. */
record JdbcFiring<S extends Enum<S>, E extends Enum<E>>(
        String machine,
        Object key,
        Transition<S, E> transition,
        long version,
        StateEvent<E> fired,
        Connection connection)
        implements Firing<S, E> {
    @Override
    public S from() {
        return transition.from();
    }

    @Override
    public S to() {
        return transition.to();
    }

    @Override
    public E event() {
        return fired.event();
    }

    @Override
    public String eventId() {
        return fired.id();
    }

    @Override
    public @Nullable Object payload() {
        return fired.payload();
    }

    @Override
    public <R> R unwrap(Class<R> type) {
        if (type.isInstance(connection)) {
            return type.cast(connection);
        }
        throw new IllegalStateException("machine " + machine + ": a firing on a table has a java.sql.Connection and no "
                + type.getName() + "; ask for that");
    }

    @Override
    public String toString() {
        return "Firing[" + machine + " " + transition + "]";
    }
}
