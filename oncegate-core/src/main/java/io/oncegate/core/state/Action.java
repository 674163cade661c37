package io.oncegate.core.state;

/**
 * What happens with a transition, in the same transaction: what it writes there commits with the new state or not at all.
 *
 * @param <S> the states
 * @param <E> the events
 * @param <X> what it may throw; a failure undoes the transition
 */
@FunctionalInterface
public interface Action<S extends Enum<S>, E extends Enum<E>, X extends Exception> {
    /** Runs it, once the row has its new state and before the commit. */
    void run(Firing<S, E> firing) throws X;
}
