package io.oncegate.jdbc;

import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * H2: inserts, and reads where the primary key refuses. Its clock stands still within a transaction, so that in a
 * caller's long one a lease or retention may look up to that transaction's age longer than it is.
 */
final class H2Dialect extends Dialect {
    private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";

    private static final String OWN = "l.attempt = s.attempt AND l.lease_end > s.clock";

    private static final Upserts UPSERTS = new Upserts(
            "SELECT fence FROM FINAL TABLE (MERGE INTO {table} l USING (SELECT CAST(:id AS VARBINARY(38)) AS id,"
                    + " CAST(:attempt AS VARBINARY(16)) AS attempt, CAST(:lease AS BIGINT) AS lease,"
                    + " CAST(:windowed AS BIGINT) AS windowed, CAST(:window AS BIGINT) AS open, {now} AS clock) s"
                    + " ON l.id = s.id WHEN MATCHED AND ((" + OWN
                    + ") OR (GREATEST(l.lease_end, l.window_end) <= s.clock"
                    + " AND NOT (l.result_fence >= :met AND l.result_until > s.clock))) THEN UPDATE SET"
                    + " attempt = s.attempt, fence = CASE WHEN " + OWN + " THEN l.fence"
                    + " ELSE GREATEST(l.fence + 1, s.clock) END, lease_end = s.clock + s.lease, window_end = CASE WHEN "
                    + OWN + " THEN l.window_end ELSE s.clock * s.windowed + s.open END"
                    + " WHEN NOT MATCHED THEN INSERT (id, operation, attempt, fence, lease_end, window_end, result,"
                    + " result_fence, result_until, due_at) VALUES (s.id, :operation, s.attempt, s.clock,"
                    + " s.clock + s.lease, s.clock * s.windowed + s.open, NULL, 0, 0, s.clock + :due))",
            "SELECT fence FROM FINAL TABLE (MERGE INTO {table} f USING (SELECT CAST(:id AS VARBINARY(38)) AS id,"
                    + " CAST(:fence AS BIGINT) AS fence, {now} AS clock) s ON f.id = s.id"
                    + " WHEN MATCHED AND f.fence <= s.fence THEN UPDATE SET fence = s.fence, raised_at ="
                    + " CASE WHEN f.raised_at < s.clock - :fresh THEN s.clock ELSE f.raised_at END"
                    + " WHEN NOT MATCHED THEN INSERT (id, fence, raised_at) VALUES (s.id, s.fence, s.clock))");

    private final String insert;

    H2Dialect(String table) {
        super(table, new Words("schema-h2.sql", NOW, NOW, "%s", "SELECT fence FROM FINAL TABLE (%s)", "", "", DELETE));
        this.insert = sql("SELECT fence FROM FINAL TABLE (INSERT INTO {table} (id, " + Found.COLUMNS + ", due_at)"
                + " SELECT ?, ?, ?, clock, ?, ?, clock * ? + ?, ?, clock * ? + ?, ?, clock * ? + ?, clock + ?"
                + " FROM (SELECT {now} AS clock) WHERE clock >= ? AND clock < ?)");
    }

    @Override
    Found insertOrRead(Session session, Draft draft, Draft.@Nullable Window window) throws SQLException {
        try (PreparedStatement statement = session.prepare(insert)) {
            draft.insert(new Binder(statement))
                    .number(window == null ? Long.MIN_VALUE : window.from())
                    .number(window == null ? Long.MAX_VALUE : window.to());
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return Found.inserted(row.getLong(1));
                }
            }
        } catch (SQLException e) {
            if (SqlTrouble.of(e) != SqlTrouble.DUPLICATE) {
                throw e;
            }
        }
        return read(session, draft.id());
    }

    @Override
    Found recordFirst(Session session, Draft draft, Draft.@Nullable Window window, Duration wait) throws SQLException {
        int before = lockTimeout(session);
        setLockTimeout(session, (int) Math.max(1, Math.min(Integer.MAX_VALUE, wait.toMillis())));
        try {
            Found found = insertOrRead(session, draft, window);
            // A record that does not answer is going to be written: who holds it is met here, and not waited for.
            return found.record() == null || answers(found) ? found : read(session, draft.id(), " FOR UPDATE NOWAIT");
        } catch (SQLException e) {
            if (SqlTrouble.of(e) == SqlTrouble.LOCKED) {
                return Found.BUSY;
            }
            throw e;
        } finally {
            setLockTimeout(session, before);
        }
    }

    private static int lockTimeout(Session session) throws SQLException {
        try (PreparedStatement statement = session.prepare("SELECT LOCK_TIMEOUT()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void setLockTimeout(Session session, int millis) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SET LOCK_TIMEOUT " + millis);
        }
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

    @Override
    Upserts upserts() {
        return UPSERTS;
    }

    @Override
    String insertNew(String insert, String column) {
        return "SELECT " + column + " FROM FINAL TABLE (" + insert + ")";
    }

    /** {@inheritDoc} Two may insert the same row at once; for the second one it is as if it had found the first one's. */
    @Override
    long fence(Session session, NamedSql sql, Map<String, ?> values) throws SQLException {
        try {
            return queriedFence(session, sql, values);
        } catch (SQLException e) {
            if (SqlTrouble.of(e) != SqlTrouble.DUPLICATE) {
                throw e;
            }
            return 0;
        }
    }
}
