package io.oncegate.spring.tx;

import io.oncegate.core.spi.ObservedTransaction.End;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells once how the current transaction of Spring's ended, for what was written in it so far: also by going back to a
 * savepoint from before. Bound to the transaction's thread.
 */
final class EndOfTransaction implements TransactionSynchronization {
    private final Consumer<End> listener;
    private final Set<Object> laterSavepoints = new HashSet<>();
    private boolean told;

    private EndOfTransaction(Consumer<End> listener) {
        this.listener = listener;
    }

    /** False if there is nobody who could tell. */
    static boolean observe(Consumer<End> listener) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        TransactionSynchronizationManager.registerSynchronization(new EndOfTransaction(listener));
        return true;
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            tell(End.ROLLED_BACK);
        }
    }

    @Override
    public void afterCompletion(int status) {
        tell(
                switch (status) {
                    case STATUS_COMMITTED -> End.COMMITTED;
                    case STATUS_ROLLED_BACK -> End.ROLLED_BACK;
                    default -> End.UNKNOWN;
                });
    }

    private void tell(End end) {
        if (!told) {
            told = true;
            listener.accept(end);
        }
    }
}
