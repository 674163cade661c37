package io.oncegate.spring.lock;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The part that the caller's transaction takes in a hold: the lock ends when the transaction has been committed or rolled
 * back, never before. Rolled back, wholly or to a savepoint from before the work: nothing has happened. Bound to the
 * transaction's thread.
 */
final class TransactionHold implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionHold.class);

    private final Hold hold;
    private final boolean failOnLost;
    private final Map<Object, Ending> atSavepoint = new HashMap<>();

    private TransactionHold(Hold hold, boolean failOnLost) {
        this.hold = hold;
        this.failOnLost = failOnLost;
    }

    /**
     * Whether the thread is in a transaction whose end can be waited for.
     *
     * @throws UnsafeHoldException if it is in one that gives no notice of its end
     */
    static boolean canBeJoined(LockPlan plan) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
        boolean hidden = TransactionSynchronizationManager.isActualTransactionActive();
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            hidden |= resource instanceof ResourceHolderSupport holder && holder.isSynchronizedWithTransaction();
        }
        if (hidden) {
            throw new UnsafeHoldException(
                    plan.label() + ": it is called in a transaction that gives no notice of its end (transaction"
                            + " synchronization is off, or the transaction is just being completed), so its lock would end"
                            + " before the commit; nothing was run. Take the lock outside of the transaction, switch"
                            + " synchronization on, or give the method a transaction of its own (REQUIRES_NEW)",
                    null);
        }
        return false;
    }

    /** Ties a hold to the running transaction, before its work begins. */
    static void join(LockPlan plan, Hold hold) {
        warnOfOldSnapshot(plan);
        TransactionSynchronizationManager.registerSynchronization(new TransactionHold(hold, plan.failOnLost()));
        hold.join();
        ThreadHolds.addInTransaction(hold);
    }

    private static void warnOfOldSnapshot(LockPlan plan) {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        if (level != null
                && level >= java.sql.Connection.TRANSACTION_REPEATABLE_READ
                && plan.warned().compareAndSet(false, true)) {
            LOG.warn(
                    "{}: its lock was taken inside a transaction of isolation level {}, whose reads may show the state from"
                            + " before the lock was held; take the lock outside of the transaction, or read for update",
                    plan.label(),
                    level == java.sql.Connection.TRANSACTION_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ");
        }
    }

    /** Whether the hold waits for the transaction that the thread is in now, and not for a suspended one. */
    static boolean isOfCurrent(Hold hold) {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.getSynchronizations().stream()
                        .anyMatch(each -> each instanceof TransactionHold joined && joined.hold == hold);
    }

    @Override
    public void savepoint(Object savepoint) {
        atSavepoint.put(savepoint, hold.ending());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        @Nullable Ending before = atSavepoint.get(savepoint);
        hold.ending(before == null ? Ending.NOTHING : before);
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (failOnLost && !hold.lock().isHeld()) {
            throw new LockLostException(hold.key(), hold.lock().fence());
        }
    }

    @Override
    public void afterCompletion(int status) {
        ThreadHolds.removeInTransaction(hold);
        if (status == STATUS_ROLLED_BACK && hold.ending() != Ending.UNKNOWN) {
            hold.verdict(Ending.NOTHING);
        } else if (status == STATUS_UNKNOWN && hold.ending() != Ending.NOTHING) {
            hold.verdict(Ending.UNKNOWN);
        }
        var unused = hold.leave();
    }
}
