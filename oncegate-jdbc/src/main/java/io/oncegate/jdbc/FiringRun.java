package io.oncegate.jdbc;

import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.state.Action;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.Transition;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One firing, from the beginning of its transaction to the commit, again in a fresh one where that is ours and nothing of it
 * remains. Not thread-safe.
 */
final class FiringRun<S extends Enum<S>, E extends Enum<E>> {
    private static final Logger LOG = LoggerFactory.getLogger(FiringRun.class);

    /** Whether the calling thread is in a firing whose transaction is its own. */
    private static final ThreadLocal<Boolean> WITHIN = new ThreadLocal<>();

    private final FiringSettings<S, E> settings;
    private final TransactionSource source;
    private final StateKey key;
    private final StateEvent<E> event;
    private final AttemptId attempt = AttemptId.random();
    private final long begun = System.nanoTime();
    private boolean joined;
    private boolean commitUnknown;

    FiringRun(FiringSettings<S, E> settings, TransactionSource source, StateKey key, StateEvent<E> event) {
        this.settings = settings;
        this.source = source;
        this.key = key;
        this.event = event;
    }

    <X extends Exception> Fired<S, E> run(@Nullable Action<S, E, X> action) throws X {
        try {
            return settings.retry()
                    .<FiringAnswer<S, E>, X>run(this::mayRepeat, () -> once(action))
                    .get();
        } catch (StoreUnavailableException e) {
            if (!commitUnknown) {
                throw e;
            }
            String machine = settings.machine().name();
            throw new OutcomeNotRecordedException(
                    machine,
                    "the reply to the commit was lost, so that nobody knows whether the event was applied",
                    key.event(machine, event.id()).digest(),
                    e);
        }
    }

    /** In a caller's transaction nothing is repeated: what came before in it would be missing. */
    private boolean mayRepeat(Exception e) {
        boolean askAgain = commitUnknown && e instanceof StoreUnavailableException;
        return !joined && (askAgain || RetryPolicy.mayRepeat(e) || isShortLockWait(e));
    }

    /** A wait for the row's lock that the database has ended sooner than we would have. */
    private boolean isShortLockWait(Exception e) {
        return e instanceof StoreUnavailableException
                && SqlTrouble.of(e) == SqlTrouble.LOCKED
                && System.nanoTime() - begun
                        < JdbcCalls.lockWait(settings.timeout()).toNanos();
    }

    private <X extends Exception> FiringAnswer<S, E> once(@Nullable Action<S, E, X> action) throws X {
        JdbcTransaction transaction = begin();
        FiringAnswer<S, E> answer;
        boolean done = false;
        try {
            requireNotWithin();
            answer = joined ? fire(transaction, action) : fireWithin(transaction, action);
            done = true;
        } finally {
            if (!done) {
                rollback(transaction);
            }
        }
        return commit(transaction, answer);
    }

    private <X extends Exception> FiringAnswer<S, E> fireWithin(
            JdbcTransaction transaction, @Nullable Action<S, E, X> action) throws X {
        WITHIN.set(true);
        try {
            return fire(transaction, action);
        } finally {
            WITHIN.remove();
        }
    }

    private JdbcTransaction begin() {
        try {
            JdbcTransaction transaction = source.begin();
            joined = transaction.joined();
            return transaction;
        } catch (SQLException e) {
            throw FiringSteps.failure(settings.name(), "the beginning of a transaction", e);
        }
    }

    private void requireNotWithin() {
        if (!joined && WITHIN.get() != null) {
            throw new IllegalStateException("machine " + settings.machine().name()
                    + ": an action fires an event in a transaction of its own, which would wait for the action's for ever; fire"
                    + " it with the connection that Firing.unwrap gives, or once the first firing has ended");
        }
    }

    private <X extends Exception> FiringAnswer<S, E> fire(JdbcTransaction transaction, @Nullable Action<S, E, X> action)
            throws X {
        FiringSteps<S, E> steps = new FiringSteps<>(settings, transaction, key, event, attempt);
        FiringAnswer<S, E> answer = steps.decide();
        commitUnknown =
                false; // an earlier try's transaction has ended, for the row is locked, and this answer counts with it
        JdbcFiring<S, E> firing = answer.firing();
        if (firing != null) {
            Transition<S, E> transition = firing.transition();
            transition.run(firing);
            if (action != null) {
                action.run(firing);
            }
            if (action != null || transition.acting()) {
                steps.verify();
            }
        }
        return answer;
    }

    private FiringAnswer<S, E> commit(JdbcTransaction transaction, FiringAnswer<S, E> answer) {
        try {
            OwnTransaction.commit(transaction, settings.timeout());
            return answer;
        } catch (SQLException e) {
            // With nothing written nothing is in doubt.
            commitUnknown |= !joined && SqlTrouble.of(e) != SqlTrouble.DEAD && answer.firing() != null;
            throw FiringSteps.failure(settings.name(), "the commit", e);
        }
    }

    private void rollback(JdbcTransaction transaction) {
        try {
            OwnTransaction.rollback(transaction, settings.timeout());
        } catch (SQLException | RuntimeException e) {
            // An own connection has been ended, and a joined transaction that cannot go back to its savepoint is dead.
            LOG.debug(
                    "machine {}: a rollback failed; the transaction is given up",
                    settings.machine().name(),
                    e);
        }
    }
}
