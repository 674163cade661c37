package io.oncegate.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a database means by an exception, as far as the stores act differently on it. */
enum SqlTrouble {
    /** The guarding constraint refused a second row. */
    DUPLICATE,
    /** The database has ended the transaction by itself: deadlock, serialization failure, or a plan that is out of date. */
    DEAD,
    /** A lock was not to be had in the time that was set; the transaction goes on. */
    LOCKED,
    /** The statement was cut off by its time limit; whether the transaction goes on depends on the database. */
    CUT_OFF,
    /** A system variable does not exist on this server. */
    UNKNOWN_VARIABLE,
    /** Everything else. */
    OTHER;

    /** A cause may have itself for a cause. */
    static final int MOST_CAUSES = 100;

    private static final int MYSQL_DUPLICATE = 1062;
    private static final int MYSQL_UNKNOWN_VARIABLE = 1193;
    private static final int MYSQL_LOCK_WAIT = 1205;
    private static final int MYSQL_DEADLOCK = 1213;
    private static final int MYSQL_NOWAIT = 3572;
    private static final int MARIADB_RECORD_CHANGED = 1020;
    private static final int H2_DUPLICATE = 23505;
    private static final int H2_LOCK_TIMEOUT = 50200;
    private static final int H2_CONCURRENT_UPDATE = 90131;
    /** Kill query, MariaDB's and MySQL's statement time. */
    private static final Set<Integer> MYSQL_CUT_OFF = Set.of(1317, 1969, 3024);

    static SqlTrouble of(@Nullable Throwable thrown) {
        int depth = 0;
        for (Throwable t = thrown; t != null && depth < MOST_CAUSES; t = t.getCause(), depth++) {
            if (t instanceof SQLException e) {
                SqlTrouble trouble = ofOne(e);
                if (trouble != OTHER) {
                    return trouble;
                }
            }
        }
        return OTHER;
    }

    /** Whether MariaDB refuses to write a row because it is newer than the transaction's snapshot. */
    static boolean isChangedRow(SQLException e) {
        return e.getErrorCode() == MARIADB_RECORD_CHANGED;
    }

    /** The number first: MySQL's driver gives a lock wait the state of a serialization failure. */
    private static SqlTrouble ofOne(SQLException e) {
        int code = e.getErrorCode();
        return switch (code) {
            case MYSQL_DUPLICATE, H2_DUPLICATE -> DUPLICATE;
            case MYSQL_DEADLOCK, MARIADB_RECORD_CHANGED, H2_CONCURRENT_UPDATE -> DEAD;
            case MYSQL_LOCK_WAIT, MYSQL_NOWAIT, H2_LOCK_TIMEOUT -> LOCKED;
            case MYSQL_UNKNOWN_VARIABLE -> UNKNOWN_VARIABLE;
            default -> MYSQL_CUT_OFF.contains(code) || e instanceof SQLTimeoutException ? CUT_OFF : ofState(e);
        };
    }

    private static SqlTrouble ofState(SQLException e) {
        String state = e.getSQLState();
        return switch (state == null ? "" : state) {
            case "40001", "40P01" -> DEAD;
            case "55P03" -> LOCKED;
            case "23505" -> DUPLICATE;
            case "57014" -> CUT_OFF;
            case "0A000" -> isStalePlan(e) ? DEAD : OTHER;
            default -> OTHER;
        };
    }

    /** PostgreSQL: the table was altered, and a statement that the session had prepared has other columns now. */
    private static boolean isStalePlan(SQLException e) {
        String routine = PostgresError.field(e, "getRoutine");
        return routine != null && routine.startsWith("RevalidateCached");
    }
}
