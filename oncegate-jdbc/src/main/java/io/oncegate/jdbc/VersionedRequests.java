package io.oncegate.jdbc;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StaleVersionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Read-and-update for requests that may come twice: tried again in fresh transactions while versions are stale, and never
 * applied twice. Thread-safe.
 *
 * <ol>
 *   <li>Each try is a transaction of its own. It records the request, reads, updates, and keeps the version that it wrote in the
 *       request's record, all of which is committed together.
 *   <li>A stale version, a deadlock or a serialization failure takes all of it back, the record too, and the next try reads
 *       again.
 *   <li>A request that has been applied is answered with the version that it wrote, although the row may have moved on since.
 * </ol>
 *
 * <p>The record is that of same-transaction mode, in the table {@code oncegate_record}, which has to be in the same database.
 */
public final class VersionedRequests implements AutoCloseable {
    private final Oncegate once;
    private final RetryPolicy policy;

    private VersionedRequests(Oncegate once, RetryPolicy policy) {
        this.once = once;
        this.policy = policy;
    }

    /** On transactions of their own on this data source, tried as {@link RetryPolicy#DEFAULT} says. */
    public static VersionedRequests of(DataSource source) {
        return of(source, RetryPolicy.DEFAULT);
    }

    /** The same with this policy. */
    public static VersionedRequests of(DataSource source, RetryPolicy policy) {
        return new VersionedRequests(
                Oncegate.sameTransaction(JdbcTransactionalRecordStore.of(source))
                        .build(),
                policy);
    }

    /** Reads a row, and updates it by what was read. */
    @FunctionalInterface
    public interface ReadAndUpdate {
        /**
         * One try.
         *
         * @param connection in a transaction that is neither to be committed nor rolled back here
         * @return the version written, as {@link VersionedUpdate#update} returns it
         */
        long run(Connection connection) throws SQLException;
    }

    /**
     * Applies a request once.
     *
     * @return executed or replayed with the version that the request wrote; or held, mismatch and so on
     * @throws StaleVersionException if the versions were stale at every try, or the row is gone; nothing was written
     * @throws SQLException as the database says; nothing was written
     */
    public Outcome<Long> run(Call<Long> call, ReadAndUpdate update) throws SQLException {
        return policy.run(
                RetryPolicy::mayRepeat,
                () -> once.<Long, SQLException>run(
                        call, claim -> update.run(Objects.requireNonNull(claim.unwrap(Connection.class)))));
    }

    /** Ends the background threads. */
    @Override
    public void close() {
        once.close();
    }
}
