package io.oncegate.spring.tx.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The piece of a transaction in which a guarded insert runs: behind a savepoint where the transaction is the caller's, with a
 * bound for the wait on a lock, and on MariaDB without {@code innodb_snapshot_isolation}, which would end the transaction where
 * the winner is newer than its snapshot. Not thread-safe.
 *
 * <p>{@link #release} or {@link #undo} ends the savepoint, {@link #close} puts the session's settings back.
 */
final class InsertSection implements AutoCloseable {
    private static final String SAVEPOINT = "oncegate_insert";
    private static final AtomicInteger SECTIONS = new AtomicInteger();

    private final Family family;
    private final Connection connection;
    private final boolean callers;
    private @Nullable Savepoint savepoint;
    private String restore = "";

    private InsertSection(Family family, Connection connection, boolean callers) {
        this.family = family;
        this.connection = connection;
        this.callers = callers;
    }

    /**
     * Opens it.
     *
     * @param callers whether the transaction goes on afterwards whatever comes of the insert
     */
    static InsertSection open(Family family, Connection connection, boolean callers, Duration lockWait)
            throws SQLException {
        InsertSection section = new InsertSection(family, connection, callers);
        long millis = Math.max(1, lockWait.toMillis());
        switch (family) {
            case POSTGRESQL -> section.openPostgres(millis);
            case MARIADB_WITH_SNAPSHOTS, MYSQL -> section.openMySql(Math.max(1, (millis + 999) / 1000));
            case H2 -> section.openH2(Math.min(millis, Integer.MAX_VALUE));
            case OTHER -> section.setSavepoint();
        }
        return section;
    }

    /** One round trip. Going back to the savepoint takes the setting back too. */
    private void openPostgres(long millis) throws SQLException {
        String old = text("SELECT current_setting('lock_timeout')" + (callers ? "; SAVEPOINT " + SAVEPOINT : "")
                + "; SET LOCAL lock_timeout = " + Math.min(millis, Integer.MAX_VALUE));
        restore = "SET LOCAL lock_timeout = '" + old.replace("'", "") + "'";
    }

    /** The old values wait in user variables of a name that no section around this one has. */
    private void openMySql(long seconds) throws SQLException {
        String wait = "@oncegate_wait_" + (SECTIONS.incrementAndGet() & 1023);
        String set =
                "SET " + wait + " = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = " + seconds;
        restore = "SET SESSION innodb_lock_wait_timeout = " + wait;
        if (family == Family.MARIADB_WITH_SNAPSHOTS) {
            String snapshot = wait + "_s";
            set += ", " + snapshot + " = @@SESSION.innodb_snapshot_isolation, SESSION innodb_snapshot_isolation = OFF";
            restore += ", SESSION innodb_snapshot_isolation = " + snapshot;
        }
        execute(set);
        setSavepoint();
    }

    private void openH2(long millis) throws SQLException {
        restore = "SET LOCK_TIMEOUT " + text("SELECT LOCK_TIMEOUT()");
        execute("SET LOCK_TIMEOUT " + millis);
        setSavepoint();
    }

    private void setSavepoint() throws SQLException {
        if (callers) {
            savepoint = connection.setSavepoint();
        }
    }

    /** The insert stays. */
    void release() throws SQLException {
        if (family == Family.POSTGRESQL) {
            execute((callers ? "RELEASE SAVEPOINT " + SAVEPOINT + "; " : "") + restore);
            restore = "";
        } else if (savepoint != null) {
            connection.releaseSavepoint(savepoint);
        }
    }

    /** The insert and all that came with it is taken back, and the transaction is as it was before. */
    void undo() throws SQLException {
        if (family == Family.POSTGRESQL && callers) {
            restore = "";
            execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; RELEASE SAVEPOINT " + SAVEPOINT);
        } else if (savepoint != null) {
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
        }
    }

    @Override
    public void close() throws SQLException {
        // PostgreSQL ends a local setting with the transaction, and takes no statement once an error has broken it.
        if (!restore.isEmpty() && family != Family.POSTGRESQL) {
            execute(restore);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
