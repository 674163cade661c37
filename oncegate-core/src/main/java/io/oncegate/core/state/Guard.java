package io.oncegate.core.state;

/**
 * Says whether a transition is allowed now. It only looks: it writes nothing.
 *
 * @param <S> the states
 * @param <E> the events
 * @param <X> what it may throw; a failure is no refusal, and undoes the firing
 */
@FunctionalInterface
public interface Guard<S extends Enum<S>, E extends Enum<E>, X extends Exception> {
    /** Whether it is allowed; asked while the row is locked, in the transaction of the transition. */
    boolean allows(Firing<S, E> firing) throws X;
}
