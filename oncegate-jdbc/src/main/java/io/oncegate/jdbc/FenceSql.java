package io.oncegate.jdbc;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** The statements of {@link FenceTable} on one table of one kind of database. Thread-safe. */
final class FenceSql {
    /** How exact {@code raised_at} is; what is fresher than this is not written, so that the index is left alone. */
    static final Duration FRESH = Duration.ofHours(1);

    private static final int MOST_TRIES = 5;

    private final Dialect dialect;
    private final NamedSql raise;
    private final String look;
    private final String untouched;
    private final String delete;

    FenceSql(Dialect dialect) {
        this.dialect = dialect;
        this.raise = NamedSql.of(dialect.sql(dialect.upserts().raise()));
        this.look = dialect.sql("SELECT fence FROM {table} WHERE id = ? FOR UPDATE");
        this.untouched = dialect.sql("SELECT id FROM {table} WHERE raised_at <= "
                + dialect.words().statementNow() + " - ? ORDER BY raised_at LIMIT ? FOR UPDATE SKIP LOCKED");
        this.delete = dialect.sql(dialect.words().delete());
    }

    /**
     * Raises the fence, or leaves it where it is as high already, and leaves the row locked until the transaction ends.
     *
     * @throws StaleFenceException if it is higher
     */
    void raise(Session session, OperationKey key, long fence) throws SQLException {
        Map<String, Object> values = Map.of("id", key.id().toBytes(), "fence", fence, "fresh", FRESH.toNanos() / 1_000);
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            if (raised(session, values) == fence) {
                return;
            }
            // Refused; or the driver has counted changed rows only, and so kept the fence that was there to itself.
            long newest = newest(session, key);
            if (newest > fence) {
                throw new StaleFenceException(key.operation(), fence, newest, key.digest());
            } else if (newest == fence) {
                return;
            }
        }
        throw new SQLException("the row of the fence was another one at every try", "40001");
    }

    private long raised(Session session, Map<String, ?> values) throws SQLException {
        return dialect.bounded(prefix -> dialect.fence(session, raise.behind(prefix), values));
    }

    /** The fence in the newest row, which stays locked; 0 if there is none. */
    private long newest(Session session, OperationKey key) throws SQLException {
        return dialect.current(prefix -> {
            try (PreparedStatement statement = session.prepare(prefix + look)) {
                new Binder(statement).bytes(key.id().toBytes());
                // Not executeQuery: a driver may not see the query behind the prefix.
                statement.execute();
                try (ResultSet row = statement.getResultSet()) {
                    return row.next() ? row.getLong(1) : 0L;
                }
            }
        });
    }

    /** Deletes rows that were not raised for so long and that nobody holds locked, in a transaction that the caller ends. */
    int purge(Session session, long micros, int limit) throws SQLException {
        return KeyedRows.purge(session, untouched, delete, micros, limit);
    }
}
