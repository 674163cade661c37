package io.oncegate.jdbc;

import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * What MariaDB and MySQL share: the clock, and a fence that comes back with the count of a statement, as the connection's
 * last insert id.
 *
 * <p>The clock is {@code SYSDATE}, which goes on while a statement waits, and not {@code NOW}. But it speaks the
 * session's time zone, whose hour can come twice. So what is taken of it is only how far it is from {@code NOW}, added to
 * the statement's UTC time; a distance that no waiting explains is a change of the zone's offset and is left out.
 */
abstract class MySqlFamilyDialect extends Dialect {
    private static final long LONGEST_STATEMENT = 300_000_000L;
    private static final String STATEMENT_NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    private static final String WAITED = "TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))";
    private static final String NOW =
            "(" + STATEMENT_NOW + " + IF(" + WAITED + " BETWEEN 0 AND " + LONGEST_STATEMENT + ", " + WAITED + ", 0))";

    /** A duplicate changes nothing, and tells by the last insert id of 0 that it was one. */
    private static final String ON_DUPLICATE = " ON DUPLICATE KEY UPDATE fence = fence + LAST_INSERT_ID(0)";

    /** On a small table the optimizer would look at every row, and so wait for those that others have locked. */
    private static final String DELETE_BY_KEY = "DELETE r FROM {table} r FORCE INDEX (PRIMARY) WHERE r.id";

    /**
     * VALUES and each branch of fence set the last insert id, so that what follows it knows what was decided: 0 is held, 1 is
     * the attempt's own, else the new fence. The columns are assigned from left to right.
     */
    private static final Upserts UPSERTS = new Upserts(
            "INSERT INTO {table} (id, operation, attempt, fence, lease_end, window_end, result, result_fence, result_until,"
                    + " due_at) VALUES (:id, :operation, :attempt, LAST_INSERT_ID({now}), fence + :lease,"
                    + " fence * :windowed + :window, NULL, 0, 0, fence + :due) ON DUPLICATE KEY UPDATE"
                    + " fence = CASE WHEN attempt = :attempt AND lease_end > {now} THEN fence + LAST_INSERT_ID(1) - 1"
                    + " WHEN GREATEST(lease_end, window_end) <= {now}"
                    + " AND NOT (result_fence >= :met AND result_until > {now})"
                    + " THEN LAST_INSERT_ID(GREATEST(fence + 1, {now})) ELSE fence + LAST_INSERT_ID(0) END,"
                    + " attempt = IF(LAST_INSERT_ID() > 0, :attempt, attempt),"
                    + " lease_end = IF(LAST_INSERT_ID() > 0, {now} + :lease, lease_end),"
                    + " window_end = IF(LAST_INSERT_ID() > 1, {now} * :windowed + :window, window_end)",
            "INSERT INTO {table} (id, fence, raised_at) VALUES (:id, LAST_INSERT_ID(:fence), {now})"
                    + " ON DUPLICATE KEY UPDATE fence = LAST_INSERT_ID(GREATEST(fence, :fence)),"
                    + " raised_at = IF(fence = :fence AND raised_at < {now} - :fresh, {now}, raised_at)");

    private final String values;

    private final String select;

    MySqlFamilyDialect(String resource, String table, String prefix) {
        super(table, new Words(resource, NOW, STATEMENT_NOW, "LAST_INSERT_ID(%s)", "%s", prefix, "", DELETE_BY_KEY));
        String into = "INSERT INTO {table} (id, operation, state, fence, attempt, fingerprint, lease_end, retention,"
                + " expires_at, result, result_until, due_at) ";
        // A column named in VALUES is the value that the new row has there: one reading of the clock for all times.
        this.values = sql(into
                + "VALUES (?, ?, ?, LAST_INSERT_ID({now}), ?, ?, fence * ? + ?, ?, fence * ? + ?, ?, fence * ? + ?, fence + ?)"
                + ON_DUPLICATE);
        this.select = sql(into
                + "SELECT ?, ?, ?, LAST_INSERT_ID(clock), ?, ?, clock * ? + ?, ?, clock * ? + ?, ?, clock * ? + ?, clock + ?"
                + " FROM (SELECT {now} AS clock) t WHERE clock >= ? AND clock < ?" + ON_DUPLICATE);
    }

    /** The insert without a window. */
    final String insertValues() {
        return values;
    }

    /** The insert with a window. */
    final String insertSelect() {
        return select;
    }

    final long rewrite(Session session, String prefix, StoredRecord expected, Draft draft) throws SQLException {
        try (PreparedStatement statement = session.prepareWithKey(prefix + rewriteSql())) {
            bindRewrite(statement, expected, draft);
            if (statement.executeUpdate() != 1) {
                return -1;
            }
            long key = lastInsertId(statement);
            if (key > 0) {
                return key;
            }
        }
        StoredRecord record = read(session, draft.id(), " LOCK IN SHARE MODE").record();
        return record != null && record.attempt().equals(draft.record().attempt()) ? record.fence() : -1;
    }

    @Override
    final Upserts upserts() {
        return UPSERTS;
    }

    @Override
    final String insertNew(String insert, String column) {
        return insert + " ON DUPLICATE KEY UPDATE " + column + " = " + column + " + LAST_INSERT_ID(0)";
    }

    @Override
    final long fence(Session session, NamedSql sql, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = session.prepareWithKey(sql.sql())) {
            sql.bind(statement, values);
            statement.executeUpdate();
            return lastInsertId(statement);
        }
    }

    /** What the statement gave to LAST_INSERT_ID, or 0. */
    static long lastInsertId(PreparedStatement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            return keys.next() ? keys.getLong(1) : 0;
        }
    }
}
