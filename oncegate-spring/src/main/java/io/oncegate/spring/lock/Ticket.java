package io.oncegate.spring.lock;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription gets at the lock, handed from the thread that acquires to the chain that runs. Whoever comes last is
 * responsible: what is offered to a subscriber that has cancelled is given back. Thread-safe.
 */
final class Ticket {
    private static final Object TAKEN = new Object();
    private static final Object ABANDONED = new Object();

    private final AtomicReference<@Nullable Object> slot = new AtomicReference<>();

    /** Hands it over; false if the subscriber has cancelled, and it has been given back. May ask the store. */
    boolean offer(Entrance entrance) {
        if (slot.compareAndSet(null, entrance)) {
            return true;
        }
        giveBack(entrance);
        return false;
    }

    /** Takes it; null if the subscriber has cancelled. */
    @Nullable
    Entrance take() {
        return slot.get() instanceof Entrance entrance && slot.compareAndSet(entrance, TAKEN) ? entrance : null;
    }

    /** The subscriber has cancelled: what was offered and not taken is returned, to be given back, else null. */
    @Nullable
    Entrance abandon() {
        return slot.getAndUpdate(now -> now == TAKEN ? TAKEN : ABANDONED) instanceof Entrance entrance
                ? entrance
                : null;
    }

    boolean isAbandoned() {
        return slot.get() == ABANDONED;
    }

    /** Nothing was run. May ask the store. */
    static void giveBack(Entrance entrance) {
        if (entrance instanceof Entrance.Inside inside) {
            inside.ended(Ending.NOTHING);
        }
    }
}
