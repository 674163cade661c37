package io.oncegate.shop.provider;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Decides what the provider does next: what it was told, else as always, else at random. Thread-safe. */
final class Behaviours {
    /** Of ten payments, in the mood to show what can happen. */
    private static final List<Behaviour> MOODY = List.of(
            Behaviour.TAKES,
            Behaviour.TAKES,
            Behaviour.TAKES,
            Behaviour.TAKES,
            Behaviour.TAKES_IN_SILENCE,
            Behaviour.TAKES_IN_SILENCE,
            Behaviour.TAKES_LATE,
            Behaviour.DECLINES,
            Behaviour.CANNOT_WORK,
            Behaviour.LOSES);

    private final Deque<Behaviour> told = new ArrayDeque<>();
    private final @Nullable RandomGenerator random;
    private @Nullable Behaviour always;

    /** Without a random source it takes the money each time. */
    Behaviours(@Nullable RandomGenerator random) {
        this.random = random;
    }

    synchronized void tell(List<Behaviour> next) {
        told.addAll(next);
    }

    synchronized void always(Behaviour behaviour) {
        told.clear();
        always = behaviour;
    }

    synchronized Behaviour next() {
        Behaviour first = told.poll();
        if (first != null) {
            return first;
        }
        if (always != null) {
            return always;
        }
        return random == null ? Behaviour.TAKES : MOODY.get(random.nextInt(MOODY.size()));
    }
}
