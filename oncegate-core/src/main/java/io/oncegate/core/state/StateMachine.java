package io.oncegate.core.state;

import io.oncegate.core.error.AmbiguousTransitionException;
import io.oncegate.core.key.OperationKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A declared state machine: which events move a row from which state to which, and nothing else does. It decides and keeps
 * nothing; a firing on a table is {@code JdbcStateMachine}'s. Checked when it is built. Immutable and thread-safe, as far as its
 * guards and actions are.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class StateMachine<S extends Enum<S>, E extends Enum<E>> {
    private final String name;
    private final Class<S> states;
    private final Class<E> events;
    private final S initial;
    private final Set<S> ends;
    private final Set<S> without;
    private final List<Transition<S, E>> transitions;

    private StateMachine(Builder<S, E> builder, S initial, List<Transition<S, E>> transitions) {
        this.name = builder.name;
        this.states = builder.states;
        this.events = builder.events;
        this.initial = initial;
        this.ends = Collections.unmodifiableSet(EnumSet.copyOf(builder.ends));
        this.without = EnumSet.copyOf(builder.unusedStates);
        this.transitions = transitions;
    }

    /**
     * Begins a machine.
     *
     * @param name as {@link OperationKey#requireOperationName} wants it; part of every event's identity, so it outlives
     *     refactoring
     * @param states the type of the states; each of them has to be reachable
     * @param events the type of the events; each of them has to be used
     * @throws io.oncegate.core.error.InvalidKeyException if the name cannot be used
     */
    public static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> named(
            String name, Class<S> states, Class<E> events) {
        return new Builder<>(OperationKey.requireOperationName(name), states, events);
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The type of the states. */
    public Class<S> states() {
        return states;
    }

    /** The type of the events. */
    public Class<E> events() {
        return events;
    }

    /** Whether the machine has this state of the enum: all but those that are declared with {@link Builder#without}. */
    public boolean has(S state) {
        return !without.contains(state);
    }

    /** The state of a new row. */
    public S initial() {
        return initial;
    }

    /** The states that nothing leads out of. */
    public Set<S> ends() {
        return ends;
    }

    /** All transitions, in the order of state, event, and declaration. */
    public List<Transition<S, E>> transitions() {
        return transitions;
    }

    /** The events that are declared for a state, in their enum's order; guards are not asked. */
    public Set<E> allowed(S state) {
        Set<E> allowed = EnumSet.noneOf(events);
        for (Transition<S, E> transition : transitions) {
            if (transition.from() == state) {
                allowed.add(transition.event());
            }
        }
        return Collections.unmodifiableSet(allowed);
    }

    /**
     * Decides what an event does in a state. Pure, as far as the guards are.
     *
     * @param guards whether a transition's guard holds; not asked of those without one
     * @throws AmbiguousTransitionException if more than one guard holds
     */
    public Decision<S, E> decide(S state, E event, Predicate<? super Transition<S, E>> guards) {
        Transition<S, E> legal = null;
        boolean guarded = false;
        boolean alreadyThere = false;
        for (Transition<S, E> transition : transitions) {
            if (transition.event() != event) {
                continue;
            }
            alreadyThere |= transition.to() == state;
            if (transition.from() != state) {
                continue;
            }
            if (transition.guarded() && !guards.test(transition)) {
                guarded = true;
            } else if (legal == null) {
                legal = transition;
            } else {
                throw new AmbiguousTransitionException(name, legal.toString(), transition.toString());
            }
        }
        return legal == null
                ? new Decision.Illegal<>(state, allowed(state), alreadyThere, guarded)
                : new Decision.Legal<>(legal);
    }

    /** The machine as a Mermaid {@code stateDiagram-v2}: the same text for the same declaration. */
    public String mermaid() {
        return Mermaid.of(this);
    }

    @Override
    public String toString() {
        return "StateMachine[" + name + "]";
    }

    /**
     * Collects the declaration of a machine. Not thread-safe.
     *
     * @param <S> the states
     * @param <E> the events
     */
    public static final class Builder<S extends Enum<S>, E extends Enum<E>> {
        private final String name;
        private final Class<S> states;
        private final Class<E> events;
        private final List<Transition<S, E>> transitions = new ArrayList<>();
        private final Set<S> ends;
        private final Set<S> unusedStates;
        private final Set<E> unusedEvents;
        private @Nullable S initial;

        private Builder(String name, Class<S> states, Class<E> events) {
            this.name = name;
            this.states = states;
            this.events = events;
            this.ends = EnumSet.noneOf(states);
            this.unusedStates = EnumSet.noneOf(states);
            this.unusedEvents = EnumSet.noneOf(events);
        }

        /** The state of a new row. */
        public Builder<S, E> initial(S state) {
            this.initial = state;
            return this;
        }

        /** Declares a transition. */
        public Builder<S, E> transition(S from, E event, S to) {
            return transition(from, event, to, UnaryOperator.identity());
        }

        /**
         * Declares a transition with a guard or an action.
         *
         * @param with adds them, as in {@code t -> t.guard("in stock", …).action(…)}
         */
        public Builder<S, E> transition(S from, E event, S to, UnaryOperator<Transition<S, E>> with) {
            transitions.add(with.apply(Transition.of(from, event, to)));
            return this;
        }

        /** Declares states that nothing leads out of. */
        @SafeVarargs
        public final Builder<S, E> end(S... states) {
            for (S state : states) {
                ends.add(state);
            }
            return this;
        }

        /** Declares states of the enum that this machine does not have. A row in one of them is an error. */
        @SafeVarargs
        public final Builder<S, E> without(S... states) {
            for (S state : states) {
                unusedStates.add(state);
            }
            return this;
        }

        /** Declares events of the enum that this machine does not know. They are illegal in every state. */
        @SafeVarargs
        public final Builder<S, E> ignoring(E... events) {
            for (E event : events) {
                unusedEvents.add(event);
            }
            return this;
        }

        /**
         * The machine.
         *
         * @throws IllegalArgumentException naming all that is wrong with the declaration: a state that is never reached, a state
         *     without a way out that is no end, an end with a way out, an event that is never used, two transitions between
         *     which nothing decides
         */
        public StateMachine<S, E> build() {
            List<Transition<S, E>> ordered = new ArrayList<>(transitions);
            ordered.sort((a, b) -> {
                int byState = a.from().compareTo(b.from());
                return byState != 0 ? byState : a.event().compareTo(b.event());
            });
            Checks<S, E> checks = new Checks<>(ordered, ends, unusedStates, unusedEvents);
            S first = checks.requireSound(name, initial, states, events);
            return new StateMachine<>(this, first, List.copyOf(ordered));
        }
    }
}
