package io.oncegate.core.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Draws a machine as text for Mermaid. */
final class Mermaid {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");
    private static final Pattern NOT_FOR_LABELS = Pattern.compile("[^\\p{L}\\p{N} ._,?!=<>()+*/&|'-]");

    /** What begins a statement of its own in such a diagram; Mermaid knows no upper and lower case there. */
    private static final Set<String> RESERVED = Set.of(
            "state",
            "end",
            "note",
            "direction",
            "class",
            "classdef",
            "style",
            "click",
            "href",
            "as",
            "default",
            "hide",
            "scale",
            "left",
            "right",
            "of",
            "title",
            "acctitle",
            "accdescr",
            "tb",
            "bt",
            "lr",
            "rl",
            "fork",
            "join",
            "choice",
            "root",
            "root_start",
            "root_end");

    private Mermaid() {}

    static <S extends Enum<S>, E extends Enum<E>> String of(StateMachine<S, E> machine) {
        List<String> lines = new ArrayList<>();
        lines.add("stateDiagram-v2");
        for (S state : machine.states().getEnumConstants()) {
            if (!isPlain(state)) {
                lines.add("state \"" + label(state.name()) + "\" as " + id(state));
            }
        }
        lines.add("[*] --> " + id(machine.initial()));
        for (Transition<S, E> transition : machine.transitions()) {
            String guard = transition.guarded() ? " [" + label(transition.guardName()) + "]" : "";
            lines.add(id(transition.from()) + " --> " + id(transition.to()) + " : "
                    + label(transition.event().name()) + guard);
        }
        for (S end : machine.ends()) {
            lines.add(id(end) + " --> [*]");
        }
        return String.join("\n    ", lines) + "\n";
    }

    private static boolean isPlain(Enum<?> state) {
        return PLAIN.matcher(state.name()).matches()
                && !RESERVED.contains(state.name().toLowerCase(Locale.ROOT));
    }

    /** A name that no other state has: none of an enum's begins with a digit or is told by its place. */
    private static String id(Enum<?> state) {
        return isPlain(state) ? state.name() : "state_" + state.ordinal() + "__";
    }

    private static String label(String text) {
        return NOT_FOR_LABELS.matcher(text).replaceAll("_");
    }
}
