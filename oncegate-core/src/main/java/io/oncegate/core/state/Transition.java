package io.oncegate.core.state;

import org.jspecify.annotations.Nullable;

/**
 * A declared transition: from a state, by an event, to a state. Immutable.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class Transition<S extends Enum<S>, E extends Enum<E>> {
    private final S from;
    private final E event;
    private final S to;
    private final String guardName;
    private final @Nullable Guard<S, E, ?> guard;
    private final @Nullable Action<S, E, ?> action;

    private Transition(
            S from, E event, S to, String guardName, @Nullable Guard<S, E, ?> guard, @Nullable Action<S, E, ?> action) {
        this.from = from;
        this.event = event;
        this.to = to;
        this.guardName = guardName;
        this.guard = guard;
        this.action = action;
    }

    static <S extends Enum<S>, E extends Enum<E>> Transition<S, E> of(S from, E event, S to) {
        return new Transition<>(from, event, to, "", null, null);
    }

    /**
     * The same with a guard.
     *
     * @param name what it asks, for the diagram
     * @throws IllegalStateException if it has one
     */
    public Transition<S, E> guard(String name, Guard<S, E, ? extends Exception> asked) {
        if (guard != null) {
            throw new IllegalStateException("the transition " + this + " has a guard already; let one guard ask both");
        }
        return new Transition<>(from, event, to, name, asked, action);
    }

    /**
     * The same with an action.
     *
     * @throws IllegalStateException if it has one
     */
    public Transition<S, E> action(Action<S, E, ? extends Exception> run) {
        if (action != null) {
            throw new IllegalStateException(
                    "the transition " + this + " has an action already; let one action do both");
        }
        return new Transition<>(from, event, to, guardName, guard, run);
    }

    /** The state before. */
    public S from() {
        return from;
    }

    /** The event. */
    public E event() {
        return event;
    }

    /** The state after. */
    public S to() {
        return to;
    }

    /** Whether it has a guard. */
    public boolean guarded() {
        return guard != null;
    }

    /** Whether it has an action. */
    public boolean acting() {
        return action != null;
    }

    String guardName() {
        return guardName;
    }

    /** Asks the guard, if there is one; throws what it throws. For those who fire. */
    public boolean allows(Firing<S, E> firing) {
        if (guard == null) {
            return true;
        }
        try {
            return guard.allows(firing);
        } catch (Exception e) {
            throw Transition.<RuntimeException>rethrow(e);
        }
    }

    /** Runs the action, if there is one; throws what it throws. For those who fire. */
    public void run(Firing<S, E> firing) {
        if (action == null) {
            return;
        }
        try {
            action.run(firing);
        } catch (Exception e) {
            throw Transition.<RuntimeException>rethrow(e);
        }
    }

    /** Throws what guard or action threw as it is, although the compiler has lost its type. */
    @SuppressWarnings("unchecked")
    private static <X extends Exception> X rethrow(Exception failure) throws X {
        throw (X) failure;
    }

    /** State, event and state. */
    @Override
    public String toString() {
        return from + " --" + event + "--> " + to;
    }
}
