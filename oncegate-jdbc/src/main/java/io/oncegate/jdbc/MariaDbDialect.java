package io.oncegate.jdbc;

import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB. An insert whose duplicate changes nothing hands back the row, new or old: a current read, also where the
 * transaction's snapshot is older than the row. It does not dirty the row, but locks it until the transaction ends.
 *
 * <p>In a transaction that stays open, the statement carries its own lock wait, and a wait that ends takes back this
 * statement alone. A second transaction that only wants to replay is not held up by the first one's lock: who does not
 * get the lock looks whether the committed row answers. {@code innodb_snapshot_isolation}, on by default since 11.6,
 * would end the transaction where the winner is newer than its snapshot; it is switched off for these statements.
 */
final class MariaDbDialect extends MySqlFamilyDialect {
    private static final int GAP_TRIES = 5;

    private final String returning;
    private final MariaDbSettings settings = new MariaDbSettings();

    MariaDbDialect(String table, long lockMillis) {
        super("schema-mariadb.sql", table, lockMillis == 0 ? "" : lockTimeout(lockMillis));
        this.returning = sql(" RETURNING LAST_INSERT_ID(), {now}, " + Found.COLUMNS);
    }

    private static String lockTimeout(long millis) {
        return String.format(
                Locale.ROOT, "SET STATEMENT max_statement_time=%d.%03d FOR ", millis / 1000, millis % 1000);
    }

    @Override
    int querySeconds(long millis) {
        return 0;
    }

    @Override
    Found insertOrRead(Session session, Draft draft, Draft.@Nullable Window window) throws SQLException {
        return insertOrRead(session, prefix(), draft, window);
    }

    private Found insertOrRead(Session session, String prefix, Draft draft, Draft.@Nullable Window window)
            throws SQLException {
        String sql = prefix + (window == null ? insertValues() : insertSelect()) + returning;
        try (PreparedStatement statement = session.prepare(sql)) {
            Binder binder = draft.insert(new Binder(statement));
            if (window != null) {
                binder.number(window.from()).number(window.to());
            }
            // Not executeQuery: MySQL's driver refuses it for what begins with INSERT.
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                if (row.next()) {
                    long inserted = row.getLong(1);
                    return inserted > 0
                            ? Found.inserted(inserted)
                            : Found.existing(row.getLong(2), Found.record(row, 3));
                }
            }
        }
        // The window is closed, so nothing was inserted, and nothing looked at either.
        return read(session, draft.id(), " LOCK IN SHARE MODE");
    }

    @Override
    Found recordFirst(Session session, Draft draft, Draft.@Nullable Window window, Duration wait) throws SQLException {
        Found found = tryFirst(session, draft, window, 0);
        // A new key may meet the gap lock of a neighbour, which ends at once; a twin is still there a moment later.
        for (int tries = 0; found.busy(); tries++) {
            Found committed = read(session, draft.id());
            if (answers(committed)) {
                return committed;
            }
            if (tries == GAP_TRIES || committed.record() != null || !pause(1L << tries)) {
                long seconds = wait.toSeconds();
                return seconds == 0 ? found : tryFirst(session, draft, window, seconds);
            }
            found = tryFirst(session, draft, window, 0);
        }
        return found;
    }

    private static boolean pause(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Found tryFirst(Session session, Draft draft, Draft.@Nullable Window window, long seconds)
            throws SQLException {
        try {
            return withPrefix(seconds, prefix -> insertOrRead(session, prefix, draft, window));
        } catch (SQLException e) {
            if (SqlTrouble.of(e) != SqlTrouble.LOCKED) {
                throw e;
            }
            MariaDbSettings.requireTransaction(session.connection(), e);
            return Found.BUSY;
        }
    }

    /** Whether a settled row is there, whose answer does not depend on what its locker is about to do. */
    private static boolean answers(Found found) {
        StoredRecord record = found.record();
        return record != null && record.state().settled() && !record.expired(found.now());
    }

    @Override
    long rewrite(Session session, StoredRecord expected, Draft draft) throws SQLException {
        return prefix().isEmpty()
                ? withPrefix(1, prefix -> rewrite(session, prefix, expected, draft))
                : rewrite(session, prefix(), expected, draft);
    }

    @Override
    <T> T current(Prefixed<T> statement) throws SQLException {
        return settings.run("", statement);
    }

    private <T> T withPrefix(long lockWait, Prefixed<T> statement) throws SQLException {
        return settings.run("innodb_lock_wait_timeout=" + lockWait, statement);
    }
}
