package io.oncegate.spring.state;

import io.oncegate.core.state.Action;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.Firing;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.JdbcStateMachine;
import io.oncegate.jdbc.RowState;
import io.oncegate.jdbc.StateHistory;
import io.oncegate.jdbc.StateTable;
import io.oncegate.jdbc.TransactionSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Fires the events of a state machine in Spring's transactions: in the caller's where there is one (REQUIRED), else in one of
 * its own, which is tried again after a deadlock or a conflict. Thread-safe. Takes no second connection; whatever guards and
 * actions do with Spring's or JPA's means is in the same transaction.
 *
 * <p>Needs a manager that works on the data source's connections, such as those for JDBC and for JPA. What JPA has kept back is
 * flushed first. The row is moved behind JPA's back: refresh an entity that was loaded before, and let JPA write neither state
 * nor version of it.
 *
 * <p>In a caller's transaction an action that fails, and a firing that the database has ended, mark the whole of it for
 * rollback, as every REQUIRED method does. Every other answer leaves it as usable as it was.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class StateService<S extends Enum<S>, E extends Enum<E>> {
    private final JdbcStateMachine<S, E> machine;
    private final @Nullable ApplicationEventPublisher publisher;

    private StateService(JdbcStateMachine<S, E> machine, @Nullable ApplicationEventPublisher publisher) {
        this.machine = machine;
        this.publisher = publisher;
    }

    /**
     * The machine on this table, with the history {@code oncegate_state_history}; states are stored by their names.
     *
     * @param dataSource the one that the manager works on
     */
    public static <S extends Enum<S>, E extends Enum<E>> StateService<S, E> of(
            StateMachine<S, E> machine, StateTable table, PlatformTransactionManager manager, DataSource dataSource) {
        return of(manager, dataSource, source -> JdbcStateMachine.of(machine, table, source));
    }

    /**
     * A machine with settings of its own.
     *
     * @param dataSource the one that the manager works on
     * @param machine makes it, as in {@code source -> JdbcStateMachine.builder(machine, table, source).codes(…).build()}
     */
    public static <S extends Enum<S>, E extends Enum<E>> StateService<S, E> of(
            PlatformTransactionManager manager,
            DataSource dataSource,
            Function<TransactionSource, JdbcStateMachine<S, E>> machine) {
        return new StateService<>(machine.apply(new FlushedTransactions(manager, dataSource)), null);
    }

    /**
     * The same, and each transition is published as a {@link StateChanged} behind its actions, while the transaction is open: for
     * mails and messages on a {@code @TransactionalEventListener}, which is called after the commit. What must not be lost with
     * the process belongs into an outbox table, written by the action.
     */
    public StateService<S, E> publishing(ApplicationEventPublisher events) {
        return new StateService<>(machine, events);
    }

    /** As {@link JdbcStateMachine#fire(Object, StateEvent)}. */
    public Fired<S, E> fire(Object key, StateEvent<E> event) {
        return publisher == null
                ? machine.fire(key, event)
                : machine.fire(key, event, firing -> publish(publisher, firing));
    }

    /** As {@link JdbcStateMachine#fire(Object, StateEvent, Action)}. */
    public <X extends Exception> Fired<S, E> fire(Object key, StateEvent<E> event, Action<S, E, X> action) throws X {
        if (publisher == null) {
            return machine.fire(key, event, action);
        }
        Action<S, E, X> published = firing -> {
            action.run(firing);
            publish(publisher, firing);
        };
        return machine.fire(key, event, published);
    }

    private static void publish(ApplicationEventPublisher publisher, Firing<?, ?> firing) {
        publisher.publishEvent(StateChanged.of(firing));
    }

    /** As {@link JdbcStateMachine#find}. */
    public Optional<RowState<S>> find(Object key) {
        return machine.find(key);
    }

    /** As {@link JdbcStateMachine#history}. */
    public List<StateHistory.Entry> history(Object key, int limit) {
        return machine.history(key, limit);
    }

    /** What is declared. */
    public StateMachine<S, E> machine() {
        return machine.machine();
    }
}
