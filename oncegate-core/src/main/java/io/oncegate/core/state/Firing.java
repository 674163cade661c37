package io.oncegate.core.state;

import org.jspecify.annotations.Nullable;

/**
 * One firing, as guards and actions see it. Valid until they return; used on the thread that fires. Its text form shows neither
 * keys nor payload.
 *
 * @param <S> the states
 * @param <E> the events
 */
public interface Firing<S extends Enum<S>, E extends Enum<E>> {
    /** The machine's name. */
    String machine();

    /** The key of the row, as the caller gave it. */
    Object key();

    /** The state that the row had. */
    S from();

    /** The state that the transition leads to. */
    S to();

    /** The row's version once the transition has been made. */
    long version();

    /** What happened. */
    E event();

    /** The id of the event. */
    String eventId();

    /** What the event carries, or null if it carries nothing. */
    @Nullable
    Object payload();

    /**
     * What the event carries.
     *
     * @throws IllegalStateException if it carries nothing, or something else
     */
    default <P> P payload(Class<P> type) {
        Object payload = payload();
        if (!type.isInstance(payload)) {
            throw new IllegalStateException("machine " + machine() + ": the event " + event()
                    + (payload == null
                            ? " carries nothing"
                            : " carries a " + payload.getClass().getName()) + ", not a "
                    + type.getName() + "; fire it with StateEvent.carrying");
        }
        return type.cast(payload);
    }

    /**
     * The resource of this type in whose transaction the transition happens, such as a JDBC connection.
     *
     * @throws IllegalStateException if there is none
     */
    <R> R unwrap(Class<R> type);
}
