package io.oncegate.core.state;

import java.util.Set;

/**
 * What became of a fired event. Immutable.
 *
 * @param <S> the states
 * @param <E> the events
 */
public sealed interface Fired<S extends Enum<S>, E extends Enum<E>> {
    /**
     * The transition was made now, and its actions have run.
     *
     * @param from the state before
     * @param to the state after
     * @param version the row's version after it
     */
    record Applied<S extends Enum<S>, E extends Enum<E>>(S from, S to, long version) implements Fired<S, E> {}

    /**
     * The same event was applied earlier: the answer of that time. Nothing was run. The row may be further on by now.
     *
     * @param from the state before it
     * @param to the state after it
     * @param version the row's version after it
     */
    record AlreadyApplied<S extends Enum<S>, E extends Enum<E>>(S from, S to, long version) implements Fired<S, E> {}

    /**
     * The event is not legal in the row's state. Nothing was run and the row is as it was. The refusal is in the history; it
     * does not stand in the way of the same event later on.
     *
     * @param state the row's state
     * @param version the row's version
     * @param allowed the events that are declared for this state, in their enum's order; their guards are not asked
     * @param alreadyThere whether the row is in a state that this event leads to, by another event or another id: a
     *     conflict to look into, and no success
     * @param guarded whether a transition is declared and its guard said no
     */
    record Illegal<S extends Enum<S>, E extends Enum<E>>(
            S state, long version, Set<E> allowed, boolean alreadyThere, boolean guarded) implements Fired<S, E> {}
}
