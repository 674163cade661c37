package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;

/**
 * The table in which state machines keep their events: one row for each event of each row of the application's, applied or
 * refused. It lies in the same database as those. Thread-safe.
 *
 * <p>What is not there any more is not known as a repetition: a purged event that comes again is judged by the row's state
 * alone. Keep events longer than anybody sends them again.
 */
public final class StateHistory {
    /** The table, unless said otherwise. */
    public static final String DEFAULT_TABLE = "oncegate_state_history";

    /** The least age at which an event may be purged. */
    public static final Duration LEAST_AGE = Duration.ofDays(1);

    private static final Duration TIMEOUT = JdbcRecordStore.DEFAULT_TIMEOUT;

    private final Dialects callers;
    private final Dialects own;

    private StateHistory(Dialects callers, Dialects own) {
        this.callers = callers;
        this.own = own;
    }

    /** The table {@code oncegate_state_history}. */
    public static StateHistory of() {
        return of(DEFAULT_TABLE);
    }

    /**
     * The table of this name, with its schema's name and a dot before it if need be.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static StateHistory of(String table) {
        return new StateHistory(
                new Dialects(table, 0),
                new Dialects(table, JdbcCalls.lockWait(TIMEOUT).toMillis()));
    }

    /** Takes this dialect for the database's. */
    static StateHistory of(Dialect dialect) {
        return new StateHistory(new Dialects(dialect), new Dialects(dialect));
    }

    /** The table's name, for {@link JdbcSchema#states(DataSource, String)}. */
    public String table() {
        return own.table();
    }

    /**
     * One event.
     *
     * @param firedAt when it was applied, or last refused, by the database's clock
     * @param event the event's name
     * @param eventId its id, in the clear
     * @param applied whether it was applied
     * @param from the code of the state that the row had
     * @param to the code of the state that it led to; empty if it was refused
     * @param version the row's version afterwards
     * @param refusals how often it was refused
     */
    public record Entry(
            Instant firedAt,
            String event,
            String eventId,
            boolean applied,
            String from,
            String to,
            long version,
            long refusals) {
        /** Says nothing of the id. */
        @Override
        public String toString() {
            return "Entry[" + firedAt + " " + from + " --" + event + "--> " + (applied ? to : "refused") + "]";
        }
    }

    /**
     * Deletes at most this many events that are older than this, of all machines, in one short transaction.
     *
     * @param age longer than any event may come again, {@link #LEAST_AGE} or more
     * @param limit how many rows at most, 1 or more
     * @return how many rows went; fewer than the limit means that nothing is left to do for now
     * @throws StoreUnavailableException if there is no answer within five seconds, once there is a connection
     */
    public int purge(DataSource source, Duration age, int limit) {
        if (limit < 1 || age.compareTo(LEAST_AGE) < 0) {
            throw new IllegalArgumentException("a purge of state histories takes 1 row or more at a time, of an age of "
                    + LEAST_AGE + " or more; not " + limit + " and " + age);
        }
        long micros = RecordMachine.micros(age);
        return new JdbcCalls("jdbc:" + own.table(), source, TIMEOUT, own)
                .transaction(
                        "a purge of state histories",
                        (session, dialect) -> dialect.history().purge(session, micros, limit));
    }

    Dialects dialects(boolean joined) {
        return joined ? callers : own;
    }
}
