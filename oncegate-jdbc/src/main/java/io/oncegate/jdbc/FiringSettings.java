package io.oncegate.jdbc;

import io.oncegate.core.state.StateMachine;
import java.time.Duration;

/**
 * What the firings of a machine on a table have in common. Thread-safe.
 *
 * @param timeout how long a statement of their own may take in a transaction of their own
 */
record FiringSettings<S extends Enum<S>, E extends Enum<E>>(
        StateMachine<S, E> machine,
        StateTable table,
        StateCodes<S> codes,
        StateRows<S> rows,
        StateHistory history,
        RetryPolicy retry,
        Duration timeout) {
    /** The name in messages. */
    String name() {
        return "jdbc:" + table.table();
    }
}
