package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.StoredRecord;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL. One statement inserts without conflict and reads what was there; it has one row in any case. Where neither
 * was inserted nor read anything, a row was there that the statement's snapshot cannot see: asked again, it is read.
 *
 * <p>In a transaction that stays open, a second insert of a key would wait for the first without bound, and a bound
 * ({@code lock_timeout}) would abort the transaction. So the statement first tries an advisory lock of the key, which
 * never waits and never fails; who does not get it is told that the key is busy, unless there is a row that answers.
 */
final class PostgresDialect extends Dialect {
    /** A method of the driver's own, called by reflection because the driver is the application's choice. */
    private static final @Nullable Method TRANSACTION_STATE = transactionState();

    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    private static final String STATEMENT_NOW = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint";

    private final String insertOrRead;
    private final String recordFirst;

    PostgresDialect(String table, long lockMillis) {
        super(
                table,
                new Words(
                        "schema-postgresql.sql",
                        NOW,
                        STATEMENT_NOW,
                        "%s",
                        "%s RETURNING fence",
                        "",
                        lockMillis == 0 ? "" : lockTimeout(lockMillis) + " AND ",
                        DELETE));
        this.insertOrRead = insertSql(lockMillis == 0 ? "true AS mine" : lockTimeout(lockMillis) + " AS mine", "");
        this.recordFirst = insertSql("pg_try_advisory_xact_lock(?) AS mine", "mine AND ");
    }

    /** True, and bounds the lock waits of the rest of the statement: the setting is the transaction's alone. */
    private static String lockTimeout(long millis) {
        return "(SELECT set_config('lock_timeout', '" + millis + "', true)) IS NOT NULL";
    }

    /**
     * {@inheritDoc}
     *
     * <p>The driver ends a statement through a second connection, and waits for that one longer than it was told.
     */
    @Override
    int querySeconds(long millis) {
        return 0;
    }

    private String insertSql(String lock, String condition) {
        return sql("WITH t AS (SELECT " + lock + ", {now} AS clock), ins AS (INSERT INTO {table} (id, " + Found.COLUMNS
                + ", due_at) SELECT ?, ?, ?, clock, ?, ?, clock * ? + ?, ?, clock * ? + ?, ?, clock * ? + ?, clock + ?"
                + " FROM t WHERE " + condition + "clock >= ? AND clock < ? ON CONFLICT (id) DO NOTHING RETURNING fence)"
                + " SELECT t.clock, ins.fence, t.mine, r.operation, r.state, r.fence, r.attempt, r.fingerprint,"
                + " r.lease_end, r.retention, r.expires_at, r.result, r.result_until"
                + " FROM t LEFT JOIN ins ON true LEFT JOIN {table} r ON r.id = ?");
    }

    @Override
    Found insertOrRead(Session session, Draft draft, Draft.@Nullable Window window) throws SQLException {
        try (PreparedStatement statement = session.prepare(insertOrRead)) {
            return insertOrRead(statement, new Binder(statement), draft, window);
        }
    }

    @Override
    Found recordFirst(Session session, Draft draft, Draft.@Nullable Window window, Duration wait) throws SQLException {
        try (PreparedStatement statement = session.prepare(recordFirst)) {
            Binder binder = new Binder(statement).number(lockKey(draft.id()));
            return insertOrRead(statement, binder, draft, window);
        }
    }

    private static Found insertOrRead(
            PreparedStatement statement, Binder binder, Draft draft, Draft.@Nullable Window window)
            throws SQLException {
        draft.insert(binder)
                .number(window == null ? Long.MIN_VALUE : window.from())
                .number(window == null ? Long.MAX_VALUE : window.to())
                .bytes(draft.id().toBytes());
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            long now = row.getLong(1);
            long fence = row.getLong(2);
            if (!row.wasNull()) {
                return Found.inserted(fence);
            }
            boolean mine = row.getBoolean(3);
            StoredRecord record = row.getString(4) == null ? null : Found.record(row, 4);
            return new Found(now, null, record, !mine);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Both read the clock once the row is locked; the bound on the wait for that stands before the insert.
     */
    @Override
    Upserts upserts() {
        String own = "l.attempt = excluded.attempt AND l.lease_end > ";
        return new Upserts(
                "INSERT INTO {table} AS l (id, operation, attempt, fence, lease_end, window_end, result, result_fence,"
                        + " result_until, due_at) SELECT :id, :operation, :attempt, t.clock, t.clock + :lease,"
                        + " t.clock * :windowed + :window, NULL, 0, 0, t.clock + :due FROM (SELECT {now} AS clock) t"
                        + " WHERE " + condition() + "true ON CONFLICT (id) DO UPDATE"
                        + " SET (attempt, fence, lease_end, window_end) = (SELECT excluded.attempt,"
                        + " CASE WHEN " + own + "t.clock THEN l.fence ELSE GREATEST(l.fence + 1, t.clock) END,"
                        + " t.clock + :lease,"
                        + " CASE WHEN " + own + "t.clock THEN l.window_end ELSE t.clock * :windowed + :window END"
                        + " FROM (SELECT {now} AS clock) t)"
                        + " WHERE (" + own + "{now}) OR (GREATEST(l.lease_end, l.window_end) <= {now}"
                        + " AND NOT (l.result_fence >= :met AND l.result_until > {now})) RETURNING l.fence",
                "INSERT INTO {table} AS f (id, fence, raised_at) SELECT :id, :fence, {now} WHERE " + condition()
                        + "true ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, raised_at = CASE WHEN f.raised_at"
                        + " < excluded.raised_at - :fresh THEN excluded.raised_at ELSE f.raised_at END"
                        + " WHERE f.fence <= excluded.fence RETURNING f.fence");
    }

    @Override
    String insertNew(String insert, String column) {
        return insert + " ON CONFLICT (id) DO NOTHING RETURNING " + column;
    }

    @Override
    long fence(Session session, NamedSql sql, Map<String, ?> values) throws SQLException {
        return queriedFence(session, sql, values);
    }

    /**
     * {@inheritDoc}
     *
     * <p>PostgreSQL looks at the conditions of an UPDATE before it waits for the row, and again only if another has changed it.
     */
    @Override
    String lockedRow(String condition) {
        return "ctid = (SELECT ctid FROM {table} WHERE " + super.lockedRow(condition) + " FOR UPDATE)";
    }

    /** The advisory lock of a key in this table: 64 bits of its digest, which applications' own locks hardly meet. */
    private long lockKey(RecordId id) {
        byte[] bytes = id.toBytes();
        return ByteBuffer.wrap(bytes, bytes.length - Long.BYTES, Long.BYTES).getLong() ^ table.hashCode();
    }

    @Override
    long rewrite(Session session, StoredRecord expected, Draft draft) throws SQLException {
        try (PreparedStatement statement = session.prepare(rewriteSql())) {
            bindRewrite(statement, expected, draft);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : -1;
            }
        }
    }

    /**
     * After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and its driver says nothing. The state of the
     * transaction stands in the last reply; the driver has it in an interface of its own.
     */
    @Override
    boolean givenUp(Connection connection) {
        if (TRANSACTION_STATE == null) {
            return false;
        }
        try {
            Class<?> type = TRANSACTION_STATE.getDeclaringClass();
            Object driver = connection.unwrap(type);
            // A pool's or a proxy's connection may hand out something else than it was asked for.
            return type.isInstance(driver) && "FAILED".equals(String.valueOf(TRANSACTION_STATE.invoke(driver)));
        } catch (ReflectiveOperationException | SQLException e) {
            return false;
        }
    }

    @Override
    boolean tellsGivenUp() {
        return TRANSACTION_STATE != null;
    }

    private static @Nullable Method transactionState() {
        try {
            return Class.forName("org.postgresql.core.BaseConnection").getMethod("getTransactionState");
        } catch (ReflectiveOperationException | LinkageError e) {
            return null; // another driver, or one that has changed
        }
    }
}
