package io.oncegate.spring.tx.internal;

import java.sql.SQLException;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.dao.OptimisticLockingFailureException;

/** What databases and mapping tools say of a row that another has changed. */
public final class Conflicts {
    /** MariaDB's changed record, H2's concurrent update, and its deadlock, which is its word for the same. */
    private static final Set<Integer> CODES = Set.of(1020, 90131, 40001);

    /** By their names: not every application has JPA. */
    private static final Set<String> OPTIMISTIC =
            Set.of("jakarta.persistence.OptimisticLockException", "org.hibernate.StaleStateException");

    private static final int MOST_CAUSES = 100;

    private Conflicts() {}

    /** Whether a database has refused to write a row because it is newer than the transaction's snapshot. */
    public static boolean isNewerRow(Throwable failure) {
        return any(failure, t -> t instanceof SQLException e && isNewerRow(e));
    }

    /** PostgreSQL has no numbers; the others' deadlocks have its state too. */
    private static boolean isNewerRow(SQLException e) {
        return CODES.contains(e.getErrorCode()) || (e.getErrorCode() == 0 && "40001".equals(e.getSQLState()));
    }

    /** Whether a mapping tool has found that a row has another version, or is gone. */
    public static boolean isOptimistic(Throwable failure) {
        return any(failure, Conflicts::isOptimisticItself);
    }

    private static boolean isOptimisticItself(Throwable failure) {
        if (failure instanceof OptimisticLockingFailureException) {
            return true;
        }
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            if (OPTIMISTIC.contains(type.getName())) {
                return true;
            }
        }
        return false;
    }

    private static boolean any(Throwable failure, Predicate<Throwable> condition) {
        int depth = 0;
        for (Throwable t = failure; t != null && depth < MOST_CAUSES; t = t.getCause(), depth++) {
            if (condition.test(t)) {
                return true;
            }
        }
        return false;
    }
}
