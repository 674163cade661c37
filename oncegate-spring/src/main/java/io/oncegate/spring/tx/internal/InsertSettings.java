package io.oncegate.spring.tx.internal;

import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.UniqueConstraint;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What may be set for insert-first. Immutable.
 *
 * @param manager the transactions in which the tool works
 * @param guard the constraint that decides; null as long as it has not been said
 * @param retry how often an own transaction is tried
 * @param lockWait the longest wait for another transaction that is at work on the same row
 * @param spare whether a row that the snapshot hides may be read on a second connection
 */
public record InsertSettings(
        PlatformTransactionManager manager,
        @Nullable UniqueConstraint guard,
        RetryPolicy retry,
        Duration lockWait,
        boolean spare) {
    private static final Duration LOCK_WAIT = Duration.ofSeconds(5);

    /** Checks the bound. */
    public InsertSettings {
        if (lockWait.isNegative() || lockWait.isZero() || lockWait.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("a wait for a lock is more than 0 and a day at most; not " + lockWait);
        }
    }

    /** The defaults. */
    public static InsertSettings of(PlatformTransactionManager manager) {
        return new InsertSettings(manager, null, RetryPolicy.DEFAULT, LOCK_WAIT, false);
    }

    /** With this guard. */
    public InsertSettings guard(UniqueConstraint constraint) {
        return new InsertSettings(manager, constraint, retry, lockWait, spare);
    }

    /** With this retry. */
    public InsertSettings retry(RetryPolicy policy) {
        return new InsertSettings(manager, guard, policy, lockWait, spare);
    }

    /** With this bound. */
    public InsertSettings lockWait(Duration wait) {
        return new InsertSettings(manager, guard, retry, wait, spare);
    }

    /** With a spare connection. */
    public InsertSettings withSpare() {
        return new InsertSettings(manager, guard, retry, lockWait, true);
    }

    UniqueConstraint requireGuard() {
        if (guard == null) {
            throw new IllegalArgumentException("insert-first needs the constraint that decides; call guard(...)");
        }
        return guard;
    }

    /** A wait for a lock is none of the retry's time. */
    RetryPolicy retryBesideWaits() {
        Duration both = retry.within().plus(lockWait);
        return both.compareTo(Duration.ofDays(1)) > 0 ? retry : retry.withinTime(both);
    }

    TransactionTemplate ownTransactions() {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        template.setName("oncegate insert-first");
        return template;
    }

    DataAccessException translate(SQLException e) {
        DataAccessException translated = new SQLExceptionSubclassTranslator().translate("insert first", null, e);
        return translated == null ? new UncategorizedSQLException("insert first", null, e) : translated;
    }
}
