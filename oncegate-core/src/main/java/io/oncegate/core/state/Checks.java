package io.oncegate.core.state;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What has to be so of a declaration. Used once, by one thread. */
final class Checks<S extends Enum<S>, E extends Enum<E>> {
    private final List<Transition<S, E>> transitions;
    private final Set<S> ends;
    private final Set<S> unusedStates;
    private final Set<E> unusedEvents;
    private final List<String> problems = new ArrayList<>();

    /**
     * Checks of these transitions.
     *
     * @param transitions in the order of state and event
     */
    Checks(List<Transition<S, E>> transitions, Set<S> ends, Set<S> unusedStates, Set<E> unusedEvents) {
        this.transitions = transitions;
        this.ends = ends;
        this.unusedStates = unusedStates;
        this.unusedEvents = unusedEvents;
    }

    /** The initial state, if the declaration is sound; else an exception that names all that is wrong. */
    S requireSound(String name, @Nullable S initial, Class<S> states, Class<E> events) {
        if (initial == null) {
            problems.add("there is no initial state");
        } else {
            checkReachable(initial, states);
        }
        checkWaysOut(states);
        checkEvents(events);
        checkAmbiguity();
        if (initial == null || !problems.isEmpty()) {
            throw new IllegalArgumentException(
                    "the state machine " + name + " cannot be used: " + String.join("; ", problems));
        }
        return initial;
    }

    private void checkReachable(S initial, Class<S> states) {
        Set<S> reached = EnumSet.of(initial);
        boolean more = true;
        while (more) {
            more = false;
            for (Transition<S, E> transition : transitions) {
                more |= reached.contains(transition.from()) && reached.add(transition.to());
            }
        }
        for (S state : states.getEnumConstants()) {
            boolean used = reached.contains(state) || ends.contains(state) || isNamed(state);
            if (unusedStates.contains(state)) {
                if (used) {
                    problems.add("the state " + state + " is used, and declared with without() as not being there");
                }
            } else if (!reached.contains(state)) {
                problems.add("the state " + state + " is never reached from " + initial
                        + " (add a transition, or declare it with without())");
            }
        }
    }

    private boolean isNamed(S state) {
        return transitions.stream().anyMatch(t -> t.from() == state || t.to() == state);
    }

    private void checkWaysOut(Class<S> states) {
        for (S state : states.getEnumConstants()) {
            boolean end = ends.contains(state);
            if (!end && !unusedStates.contains(state) && !leaves(state)) {
                problems.add(
                        "nothing leads out of the state " + state + " (add a transition, or declare it with end())");
            } else if (end && transitions.stream().anyMatch(t -> t.from() == state)) {
                problems.add("the state " + state + " is declared as an end, and has transitions");
            }
        }
    }

    private boolean leaves(S state) {
        return transitions.stream().anyMatch(t -> t.from() == state && t.to() != state);
    }

    private void checkEvents(Class<E> events) {
        for (E event : events.getEnumConstants()) {
            boolean used = transitions.stream().anyMatch(t -> t.event() == event);
            if (used && unusedEvents.contains(event)) {
                problems.add("the event " + event + " is used, and declared with ignoring() as not known");
            } else if (!used && !unusedEvents.contains(event)) {
                problems.add("the event " + event + " is never used (add a transition, or declare it with ignoring())");
            }
        }
    }

    /** Of several transitions for one state and event each needs a guard: one without always holds. */
    private void checkAmbiguity() {
        for (int i = 1; i < transitions.size(); i++) {
            Transition<S, E> one = transitions.get(i - 1);
            Transition<S, E> other = transitions.get(i);
            if (one.from() == other.from() && one.event() == other.event() && !(one.guarded() && other.guarded())) {
                problems.add("nothing decides between " + one + " and " + other + " (give both a guard)");
            }
        }
    }
}
