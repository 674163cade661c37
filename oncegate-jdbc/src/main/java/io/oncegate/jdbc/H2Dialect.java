package io.oncegate.jdbc;

import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * H2: inserts, and reads where the primary key refuses. Its clock stands still within a transaction, so that in a
 * caller's long one a lease or retention may look up to that transaction's age longer than it is.
 */
final class H2Dialect extends Dialect {
    private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";

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
            return insertOrRead(session, draft, window);
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
}
