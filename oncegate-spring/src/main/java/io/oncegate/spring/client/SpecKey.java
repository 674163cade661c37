package io.oncegate.spring.client;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The key of one {@code WebClient} request from its building on: every subscription to it is an attempt of the same call.
 * A subscription beside another one, or after an answer, cannot be told from another call and is refused. Thread-safe.
 */
final class SpecKey {
    private enum State {
        OPEN,
        IN_FLIGHT,
        ANSWERED
    }

    private final @Nullable Attempt builtIn;
    private State state = State.OPEN;
    private @Nullable String value;

    /** A request that was built on this thread, perhaps within an attempt. */
    SpecKey() {
        this.builtIn = Attempt.current();
    }

    @Nullable
    Attempt builtIn() {
        return builtIn;
    }

    /** The key for a subscription; at the first one it is taken from the supplier. */
    synchronized CallKey open(String method, Supplier<CallKey> first) {
        switch (state) {
            case IN_FLIGHT -> throw AmbiguousCallException.subscribedTwice(method);
            case ANSWERED -> throw AmbiguousCallException.answered(method);
            case OPEN -> {}
        }
        CallKey key = value == null ? first.get() : CallKey.of(value);
        value = key.value();
        state = State.IN_FLIGHT;
        return key;
    }

    /** The subscription has ended without a complete success; it may be repeated. */
    synchronized void reopen() {
        if (state == State.IN_FLIGHT) {
            state = State.OPEN;
        }
    }

    /** The answer has been read to its end. */
    synchronized void answered() {
        state = State.ANSWERED;
    }
}
