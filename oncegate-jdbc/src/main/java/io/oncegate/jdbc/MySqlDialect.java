package io.oncegate.jdbc;

import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * MySQL, which has no RETURNING. The fence of a new row comes back as the connection's last insert id, without a second
 * round trip; a duplicate sets that to 0, changes nothing, and is read by a second statement that sees the newest row.
 * That works whether the driver counts found or changed rows.
 *
 * <p>In a transaction that stays open, MySQL offers no lock wait per statement; the driver's query timeout ends the wait,
 * in whole seconds and at least one.
 */
final class MySqlDialect extends MySqlFamilyDialect {
    MySqlDialect(String table) {
        super("schema-mysql.sql", table, "");
    }

    @Override
    Found insertOrRead(Session session, Draft draft, Draft.@Nullable Window window) throws SQLException {
        try (PreparedStatement statement = session.prepareWithKey(window == null ? insertValues() : insertSelect())) {
            Binder binder = draft.insert(new Binder(statement));
            if (window != null) {
                binder.number(window.from()).number(window.to());
            }
            int count = statement.executeUpdate();
            long fence = lastInsertId(statement);
            if (count == 1 && fence > 0) {
                return Found.inserted(fence);
            }
        }
        return read(session, draft.id(), " LOCK IN SHARE MODE");
    }

    @Override
    Found recordFirst(Session session, Draft draft, Draft.@Nullable Window window, Duration wait) throws SQLException {
        int seconds = (int)
                Math.max(1, Math.min(Integer.MAX_VALUE, wait.plusMillis(999).toSeconds()));
        try {
            return insertOrRead(session.within(seconds), draft, window);
        } catch (SQLException e) {
            SqlTrouble trouble = SqlTrouble.of(e);
            if (trouble == SqlTrouble.CUT_OFF || trouble == SqlTrouble.LOCKED) {
                return Found.BUSY;
            }
            throw e;
        }
    }

    @Override
    long rewrite(Session session, StoredRecord expected, Draft draft) throws SQLException {
        return rewrite(session, "", expected, draft);
    }
}
