package io.oncegate.jdbc;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.MissingEntityException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.error.UnknownStateException;
import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.state.Action;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Fires the events of a {@link StateMachine} on the rows of a table. Thread-safe.
 *
 * <ol>
 *   <li>The row is locked and read, the newest one whatever the transaction's snapshot is, so that all firings on it stand in
 *       line.
 *   <li>The machine decides by the state that is there, and asks its guards.
 *   <li>The event is inserted into the history ({@link StateHistory}), unique for machine, row and event id. Where it is
 *       already there as applied, the answer is the one of that time, and nothing is run. A refusal is recorded too, and is
 *       written over when the same event comes again.
 *   <li>One update moves the row, on condition of its state and version, and raises the version.
 *   <li>The actions run, the transition's first. Nobody sees the new state until the commit.
 *   <li>The commit makes all of it true at once. A failure anywhere leaves nothing.
 * </ol>
 *
 * <p>In a transaction of its own a firing is tried again where nothing of it remains (deadlock, conflict), and where the reply
 * to the commit was lost: the history says then what has become of it. In a caller's transaction nothing is repeated. The
 * caller's transaction stays usable; a failed firing goes back to where it began. Actions may run more than once for one
 * transition, but only one run is committed: what they do outside the transaction has to wait for the commit.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class JdbcStateMachine<S extends Enum<S>, E extends Enum<E>> {
    /** How long one of its own statements may take in a transaction of its own, unless said otherwise. */
    public static final Duration DEFAULT_TIMEOUT = JdbcRecordStore.DEFAULT_TIMEOUT;

    private final FiringSettings<S, E> settings;
    private final TransactionSource source;
    private final StateReads reads;

    private JdbcStateMachine(Builder<S, E> builder) {
        StateMachine<S, E> machine = builder.machine;
        StateCodes<S> codes = new StateCodes<>(machine.states(), builder.codes);
        for (E event : machine.events().getEnumConstants()) {
            StateCodes.requireShort(event.name());
        }
        this.settings = new FiringSettings<>(
                machine,
                builder.table,
                codes,
                new StateRows<>(machine, builder.table, codes),
                builder.history,
                builder.retry,
                builder.timeout);
        this.source = builder.source;
        this.reads = new StateReads(settings.name(), source, settings.history(), settings.timeout());
    }

    /** The machine on this table, with the history {@code oncegate_state_history}; states are stored by their names. */
    public static <S extends Enum<S>, E extends Enum<E>> JdbcStateMachine<S, E> of(
            StateMachine<S, E> machine, StateTable table, TransactionSource source) {
        return builder(machine, table, source).build();
    }

    /** Begins a machine on a table. */
    public static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> builder(
            StateMachine<S, E> machine, StateTable table, TransactionSource source) {
        return new Builder<>(machine, table, source);
    }

    /** What is declared. */
    public StateMachine<S, E> machine() {
        return settings.machine();
    }

    /**
     * Fires an event in a transaction of its source: an own one, or the caller's that it joins.
     *
     * @param key the row's: a String, whole number, UUID or byte[]
     * @throws MismatchException if the event's id was applied with another event or content
     * @throws MissingEntityException if there is no such row, unless the event was applied before
     * @throws UnknownStateException if the row has a state that is not the machine's
     * @throws InvalidKeyException if the key cannot be used
     * @throws TransactionDeadException if the database has ended the transaction, and it is the caller's or has been tried
     *     often enough
     * @throws OutcomeNotRecordedException if the commit's reply was lost and nobody could be asked; fire it again
     * @throws StoreUnavailableException if there is no answer; nothing was done
     */
    public Fired<S, E> fire(Object key, StateEvent<E> event) {
        return new FiringRun<>(settings, source, StateKey.of(key), event).<RuntimeException>run(null);
    }

    /**
     * Fires an event, and runs an action behind the transition's own. Else as {@link #fire(Object, StateEvent)}.
     *
     * @throws X if the action does; nothing is left of the firing then
     */
    public <X extends Exception> Fired<S, E> fire(Object key, StateEvent<E> event, Action<S, E, X> action) throws X {
        return new FiringRun<>(settings, source, StateKey.of(key), event).run(action);
    }

    /**
     * Fires an event in the transaction that is open on a connection. Else as {@link #fire(Object, StateEvent)}. What it has
     * done, a recorded refusal too, is true with the caller's commit.
     *
     * @param connection not in auto-commit; it stays open
     * @throws IllegalStateException if the connection is in auto-commit
     */
    public Fired<S, E> fire(Connection connection, Object key, StateEvent<E> event) {
        return new FiringRun<>(settings, joining(connection), StateKey.of(key), event).<RuntimeException>run(null);
    }

    /**
     * Fires an event in the transaction that is open on a connection, and runs an action behind the transition's own. Else as
     * {@link #fire(Connection, Object, StateEvent)}.
     *
     * @throws X if the action does; nothing is left of the firing then
     */
    public <X extends Exception> Fired<S, E> fire(
            Connection connection, Object key, StateEvent<E> event, Action<S, E, X> action) throws X {
        return new FiringRun<>(settings, joining(connection), StateKey.of(key), event).run(action);
    }

    private static TransactionSource joining(Connection connection) {
        return () -> JoinedTransaction.join(connection);
    }

    /**
     * Reads a row's state. Locks nothing and writes nothing.
     *
     * @return empty if there is no such row
     * @throws UnknownStateException if the row has a state that is not the machine's
     * @throws StoreUnavailableException if there is no answer
     */
    public Optional<RowState<S>> find(Object key) {
        StateKey asked = StateKey.of(key);
        return read(asked).map(found -> {
            S state = found.state();
            if (state == null) {
                throw new UnknownStateException(
                        machine().name(),
                        settings.table().table(),
                        asked.entity(machine().name()).digest());
            }
            return new RowState<>(state, found.version());
        });
    }

    private Optional<StateRows.Row<S>> read(StateKey key) {
        try {
            return reads.run(
                    "the reading of a state",
                    (session, dialect) -> Optional.ofNullable(settings.rows().read(session, dialect, key)));
        } catch (MissingEntityException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads the events of a row, oldest first: by when they were applied, or last refused.
     *
     * @param limit how many at most, 1 or more
     * @throws StoreUnavailableException if there is no answer
     */
    public List<StateHistory.Entry> history(Object key, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("a history is read 1 event or more at a time, not " + limit);
        }
        byte[] entity = StateKey.of(key).entity(machine().name()).id().toBytes();
        return reads.run(
                "the reading of a history",
                (session, dialect) -> dialect.history().list(session, entity, limit));
    }

    @Override
    public String toString() {
        return "JdbcStateMachine[" + machine().name() + " on " + settings.table() + "]";
    }

    /**
     * Collects the settings of a machine on a table. Not thread-safe.
     *
     * @param <S> the states
     * @param <E> the events
     */
    public static final class Builder<S extends Enum<S>, E extends Enum<E>> {
        private final StateMachine<S, E> machine;
        private final StateTable table;
        private final TransactionSource source;
        private StateHistory history = StateHistory.of();
        private Function<? super S, ?> codes = S::name;
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private Duration timeout = DEFAULT_TIMEOUT;

        private Builder(StateMachine<S, E> machine, StateTable table, TransactionSource source) {
            this.machine = machine;
            this.table = table;
            this.source = source;
        }

        /** Where the events are kept. */
        public Builder<S, E> history(StateHistory history) {
            this.history = history;
            return this;
        }

        /**
         * What the table calls the states, in place of their names: for each its own text of at most 100 characters, or whole
         * number. They outlive the renaming of a state.
         */
        public Builder<S, E> codes(Function<? super S, ?> codes) {
            this.codes = codes;
            return this;
        }

        /** How often a firing in a transaction of its own is tried. */
        public Builder<S, E> retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /**
         * How long a statement of its own, and the commit, may take in a transaction of its own; 100 ms or more. Waiting for
         * the row's lock takes three quarters of it at most.
         */
        public Builder<S, E> timeout(Duration timeout) {
            this.timeout = JdbcRecordStore.Builder.requireTimeout(timeout);
            return this;
        }

        /**
         * The machine on the table. The database is not asked for anything yet.
         *
         * @throws IllegalArgumentException if two states have one code, or a code or an event's name is too long
         */
        public JdbcStateMachine<S, E> build() {
            return new JdbcStateMachine<>(this);
        }
    }
}
