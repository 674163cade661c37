package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A second connection for those whose transaction cannot see a row, one at a time: many callers that each hold one connection
 * and wait for a second one would exhaust any pool. Thread-safe.
 */
final class SpareConnection {
    private final Semaphore one = new Semaphore(1, true);
    private final DataSource source;
    private final InsertPlan plan;

    SpareConnection(DataSource source, InsertPlan plan) {
        this.source = source;
        this.plan = plan;
    }

    /** Reads what is there. */
    <T> InsertWay.Answer<T> read(InsertWay way, Map<String, ?> values, RowReader<T> reader) {
        boolean mine = false;
        try {
            mine = one.tryAcquire(plan.bound().toMillis(), TimeUnit.MILLISECONDS);
            if (!mine) {
                throw unavailable("others were using the spare connection all the time", null);
            }
            return OwnConnection.run(source, plan.bound(), connection -> way.look(connection, values, reader));
        } catch (SQLException e) {
            throw unavailable("the spare connection was not to be had, or failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted while waiting for the spare connection", e);
        } finally {
            if (mine) {
                one.release();
            }
        }
    }

    private StoreUnavailableException unavailable(String what, @Nullable Exception cause) {
        return new StoreUnavailableException(
                "jdbc:" + plan.table(),
                "the row is newer than this transaction's snapshot, and " + what
                        + "; give the pool one connection more than callers that are inside transactions at once",
                // A fresh transaction sees the row: those who retry have to know this as a serialization failure.
                new SQLException("the row is newer than the transaction's snapshot", "40001", cause));
    }
}
