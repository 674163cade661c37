package io.oncegate.spring.tx.internal;

import java.sql.SQLException;
import java.util.Set;

/** What a database means by an exception, as far as it matters here. */
final class Troubles {
    /** MariaDB's and MySQL's lock wait and statement time, H2's lock time-out. */
    private static final Set<Integer> CODES = Set.of(1205, 3572, 1969, 3024, 50200);

    private Troubles() {}

    /** Whether a lock was not to be had in time. */
    static boolean lockedOut(Throwable failure) {
        int depth = 0;
        for (Throwable t = failure; t != null && depth < 100; t = t.getCause(), depth++) {
            if (t instanceof SQLException e && (CODES.contains(e.getErrorCode()) || "55P03".equals(e.getSQLState()))) {
                return true;
            }
        }
        return false;
    }
}
