package io.oncegate.jdbc;

import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.error.UnknownStateException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.state.Decision;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import io.oncegate.core.state.Transition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The statements of one firing in one transaction. Not thread-safe. */
final class FiringSteps<S extends Enum<S>, E extends Enum<E>> {
    private static final int MOST_LOOKS = 5;

    private final FiringSettings<S, E> settings;
    private final StateMachine<S, E> machine;
    private final Connection connection;
    private final boolean joined;
    private final StateKey key;
    private final StateEvent<E> event;
    private final OperationKey id;
    private final AttemptId attempt;

    FiringSteps(
            FiringSettings<S, E> settings,
            JdbcTransaction transaction,
            StateKey key,
            StateEvent<E> event,
            AttemptId attempt) {
        this.settings = settings;
        this.machine = settings.machine();
        this.connection = transaction.connection();
        this.joined = transaction.joined();
        this.key = key;
        this.event = event;
        this.id = key.event(machine.name(), event.id());
        this.attempt = attempt;
    }

    /** Locks the row, decides, records the event, and moves the row if the event is legal. */
    FiringAnswer<S, E> decide() {
        return sql("the firing of an event", (session, dialect) -> {
            HistorySql history = dialect.history();
            StateRows.Row<S> row = settings.rows().lock(session, dialect, key);
            if (row == null || isGuarded()) {
                // A guard is not asked about a repetition, and a repetition outlives its row.
                HistorySql.Found found = history.find(session, id.id().toBytes());
                if (found != null && found.applied()) {
                    return repeated(found);
                }
            }
            if (row == null) {
                return FiringAnswer.refused(settings.rows().missing(key));
            }
            S state = row.state();
            if (state == null) {
                return FiringAnswer.refused(unknownState(settings.table().table()));
            }
            Decision<S, E> decision =
                    machine.decide(state, event.event(), transition -> transition.allows(firing(transition, row)));
            for (int looks = 0; looks < MOST_LOOKS; looks++) {
                HistorySql.Entry entry = entry(decision, state, row.version());
                if (history.insert(session, entry)) {
                    return move(session, dialect, decision, row);
                }
                HistorySql.Found found = history.newest(session, entry.id());
                if (found != null && found.applied()) {
                    return repeated(found);
                } else if (found != null && history.overwrite(session, entry)) {
                    return move(session, dialect, decision, row);
                }
            }
            throw new SQLException("the event's row was another one at every look", "40001");
        });
    }

    private boolean isGuarded() {
        return machine.transitions().stream().anyMatch(t -> t.event() == event.event() && t.guarded());
    }

    private JdbcFiring<S, E> firing(Transition<S, E> transition, StateRows.Row<S> row) {
        return new JdbcFiring<>(machine.name(), key.value(), transition, row.version() + 1, event, connection);
    }

    private HistorySql.Entry entry(Decision<S, E> decision, S state, long version) {
        Transition<S, E> legal = decision instanceof Decision.Legal<S, E> found ? found.transition() : null;
        return new HistorySql.Entry(
                id.id().toBytes(),
                key.entity(machine.name()).id().toBytes(),
                machine.name(),
                key.text(),
                event.id(),
                event.event().name(),
                legal != null,
                settings.codes().text(state),
                legal == null ? "" : settings.codes().text(legal.to()),
                legal == null ? version : version + 1,
                legal == null ? Fingerprint.none() : event.content(),
                attempt.toBytes());
    }

    private FiringAnswer<S, E> move(Session session, Dialect dialect, Decision<S, E> decision, StateRows.Row<S> row)
            throws SQLException {
        if (decision instanceof Decision.Illegal<S, E> no) {
            return FiringAnswer.of(
                    new Fired.Illegal<>(no.state(), row.version(), no.allowed(), no.alreadyThere(), no.guarded()));
        }
        Transition<S, E> legal = ((Decision.Legal<S, E>) decision).transition();
        if (!settings.rows().move(session, dialect, key, legal.from(), legal.to(), row.version())) {
            throw new SQLException("the row has changed although it was locked", "40001");
        }
        return FiringAnswer.moved(firing(legal, row));
    }

    /** What the event was answered the first time; or what differs from then. */
    private FiringAnswer<S, E> repeated(HistorySql.Found found) {
        List<String> different = new ArrayList<>();
        if (!found.event().equals(event.event().name())) {
            different.add("event");
        }
        different.addAll(event.content().differences(found.content()));
        if (!different.isEmpty()) {
            return FiringAnswer.refused(new MismatchException(machine.name(), different, id.digest()));
        }
        S from = settings.codes().state(found.from());
        S to = settings.codes().state(found.to());
        if (from == null || to == null) {
            return FiringAnswer.refused(unknownState("the history"));
        }
        if (Arrays.equals(found.attempt(), attempt.toBytes())) {
            // This call's own: the reply to its commit was lost.
            return FiringAnswer.of(new Fired.Applied<S, E>(from, to, found.version()));
        }
        return FiringAnswer.of(new Fired.AlreadyApplied<S, E>(from, to, found.version()));
    }

    private UnknownStateException unknownState(String where) {
        return new UnknownStateException(
                machine.name(), where, key.entity(machine.name()).digest());
    }

    /**
     * Checks that the actions have left the transaction as it was: one that a database has ended goes on without a word where
     * an action has swallowed the exception, and would commit what came after that alone.
     */
    void verify() {
        sql("the end of an action", (session, dialect) -> {
            if (dialect.givenUp(connection)) {
                throw new StoreUnavailableException(
                        settings.name(),
                        "a statement of an action failed and ended the transaction, and the action went on; let it fail, or"
                                + " use a savepoint",
                        null);
            }
            if (!dialect.tellsGivenUp()) {
                HistorySql.Found found = dialect.history().find(session, id.id().toBytes());
                if (found == null || !found.applied() || !Arrays.equals(found.attempt(), attempt.toBytes())) {
                    throw new SQLException(
                            "the transaction was ended within an action, and the action went on", "40001");
                }
            }
            return event;
        });
    }

    /** A firing's own statements; those of a caller's transaction wait as long as the database lets them. */
    private <T> T sql(String what, JdbcCalls.SqlCall<T> work) {
        long millis = settings.timeout().toMillis();
        try {
            Dialect dialect = settings.history().dialects(joined).of(connection);
            NetworkTimeout network = NetworkTimeout.set(connection, joined ? 0 : millis);
            try {
                return work.run(new Session(connection, joined ? 0 : dialect.querySeconds(millis)), dialect);
            } finally {
                network.restore();
            }
        } catch (SQLException e) {
            throw failure(settings.name(), what, e);
        }
    }

    static StoreUnavailableException failure(String name, String what, SQLException e) {
        return SqlTrouble.of(e) == SqlTrouble.DEAD
                ? new TransactionDeadException(name, e)
                : JdbcCalls.unavailable(name, what, e);
    }
}
