package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of {@link JdbcLockStore} on one table of one kind of database. Thread-safe. */
final class LockSql {
    /** Given instead of a fence: it was held by this attempt already, under the fence that stands in the row. */
    static final long OWN = 1;

    private static final String HOLD = "id = :id AND fence = :fence AND attempt = :attempt";

    private final Dialect dialect;
    private final NamedSql acquire;
    private final NamedSql renew;
    private final NamedSql release;
    private final NamedSql complete;
    private final NamedSql completeWithResult;
    private final NamedSql pass;
    private final String read;
    private final String readWithResult;

    /**
     * What was read of a lock.
     *
     * @param row null if there is none
     * @param now the database's time
     */
    record Seen(@Nullable LockRow row, long now) {}

    LockSql(Dialect dialect) {
        this.dialect = dialect;
        this.acquire = sql(dialect.prefix() + dialect.upserts().acquire());
        String held = dialect.lockedRow(HOLD) + " AND lease_end > {now}";
        this.renew = update("lease_end = {now} + :lease", held);
        this.release = update("lease_end = 0, window_end = 0", held);
        this.complete = update("lease_end = 0", held);
        this.completeWithResult = update(
                "lease_end = 0, result = :result, result_fence = fence,"
                        + " result_until = GREATEST(window_end, {now} + :retention)",
                held);
        this.pass = sql(dialect.prefix()
                + dialect.rewriting("UPDATE {table} SET fence = " + dialect.newFence("GREATEST(fence + 1, {now})")
                        + ", attempt = :next, lease_end = {now} + :lease, window_end = {now} * :windowed + :window WHERE "
                        + held + " AND window_end <= {now}"));
        String columns = "SELECT attempt, fence, lease_end, window_end, result_fence, result_until, {now}, ";
        String from = " FROM {table} WHERE id = ?";
        this.read = dialect.sql(columns + "NULL" + from);
        this.readWithResult = dialect.sql(columns + "result" + from);
    }

    private NamedSql update(String assignments, String where) {
        return sql(dialect.prefix() + "UPDATE {table} SET " + assignments + " WHERE " + where);
    }

    private NamedSql sql(String template) {
        return NamedSql.of(dialect.sql(template));
    }

    /**
     * Writes the acquisition where nobody holds the lock, or where this attempt does.
     *
     * @param margin after how long a new row is first proposed to the purge, in microseconds
     * @return the fence, or {@link #OWN}; 0 if nothing was written
     */
    long acquire(Session session, LockRequest request, long margin) throws SQLException {
        Map<String, Object> values = new HashMap<>();
        put(values, request);
        values.put("id", request.id().toBytes());
        values.put("operation", request.operation());
        values.put("attempt", request.attempt().toBytes());
        values.put("met", request.takesResult() && request.metFence() != 0 ? request.metFence() : Long.MAX_VALUE);
        values.put("due", margin);
        return dialect.fence(session, acquire, values);
    }

    private static void put(Map<String, Object> values, LockRequest request) {
        values.put("lease", RecordMachine.micros(request.lease()));
        values.put("window", request.window() == null ? 0L : RecordMachine.micros(request.window()));
        values.put("windowed", request.window() == null ? 0L : 1L);
    }

    /** Whether the lock was there to be renewed. */
    boolean renew(Session session, ClaimRef held, long lease) throws SQLException {
        Map<String, Object> values = holder(held);
        values.put("lease", lease);
        return changed(session, renew, values);
    }

    /** Whether the hold was there to be ended. */
    boolean end(Session session, ClaimRef held, LockEnd end) throws SQLException {
        Map<String, Object> values = holder(held);
        Payload result = end.result();
        if (result == null) {
            return changed(session, end.completed() ? complete : release, values);
        }
        values.put("result", result.bytes());
        values.put("retention", RecordMachine.micros(end.resultRetention()));
        return changed(session, completeWithResult, values);
    }

    /** The next one's fence, or 0 if nothing was written. */
    long pass(Session session, ClaimRef held, LockRequest next) throws SQLException {
        Map<String, Object> values = holder(held);
        put(values, next);
        values.put("next", next.attempt().toBytes());
        return dialect.fence(session, pass, values);
    }

    private static Map<String, Object> holder(ClaimRef held) {
        Map<String, Object> values = new HashMap<>();
        values.put("id", held.id().toBytes());
        values.put("fence", held.fence());
        values.put("attempt", held.attempt().toBytes());
        return values;
    }

    private static boolean changed(Session session, NamedSql sql, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql.sql())) {
            sql.bind(statement, values);
            return statement.executeUpdate() == 1;
        }
    }

    /** Reads the lock and the clock. */
    Seen read(Session session, RecordId id, boolean withResult) throws SQLException {
        try (PreparedStatement statement = session.prepare(withResult ? readWithResult : read)) {
            new Binder(statement).bytes(id.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return new Seen(null, 0);
                }
                long leaseEnd = row.getLong(3);
                byte[] result = row.getBytes(8);
                return new Seen(
                        new LockRow(
                                AttemptId.fromBytes(row.getBytes(1)),
                                row.getLong(2),
                                leaseEnd == 0,
                                leaseEnd,
                                row.getLong(4),
                                result == null ? null : Payload.of(result),
                                row.getLong(5),
                                row.getLong(6)),
                        row.getLong(7));
            }
        }
    }
}
