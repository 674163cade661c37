package io.oncegate.spring.state;

import io.oncegate.core.state.Firing;

/**
 * A transition was made, in a transaction that is still open: published by {@link StateService#publishing}. A
 * {@code @TransactionalEventListener} is called once that is committed. Its text form shows neither key nor id.
 *
 * @param machine the machine's name
 * @param key the row's key
 * @param event what happened
 * @param eventId its id
 * @param from the state before
 * @param to the state after
 * @param version the row's version after it
 */
public record StateChanged(
        String machine, Object key, Enum<?> event, String eventId, Enum<?> from, Enum<?> to, long version) {
    static StateChanged of(Firing<?, ?> firing) {
        return new StateChanged(
                firing.machine(),
                firing.key(),
                firing.event(),
                firing.eventId(),
                firing.from(),
                firing.to(),
                firing.version());
    }

    @Override
    public String toString() {
        return "StateChanged[" + machine + " " + from + " --" + event + "--> " + to + "]";
    }
}
