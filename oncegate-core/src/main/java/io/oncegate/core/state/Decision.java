package io.oncegate.core.state;

import java.util.Set;

/**
 * What a machine says to an event in a state. Immutable.
 *
 * @param <S> the states
 * @param <E> the events
 */
public sealed interface Decision<S extends Enum<S>, E extends Enum<E>> {
    /**
     * This transition.
     *
     * @param transition the one whose guard holds, or that has none
     */
    record Legal<S extends Enum<S>, E extends Enum<E>>(Transition<S, E> transition) implements Decision<S, E> {}

    /**
     * None.
     *
     * @param state the state
     * @param allowed the events that are declared for this state, in their enum's order
     * @param alreadyThere whether the state is one that this event leads to
     * @param guarded whether transitions are declared, and no guard holds
     */
    record Illegal<S extends Enum<S>, E extends Enum<E>>(S state, Set<E> allowed, boolean alreadyThere, boolean guarded)
            implements Decision<S, E> {}
}
