package io.oncegate.spring.tx.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers which objects' versions were raised in Spring's current transaction, and takes them back when it is rolled back,
 * or goes back to a savepoint. Bound to its thread.
 *
 * <p>A savepoint that is not known is older than all that is remembered.
 */
public final class VersionMemory implements TransactionSynchronization {
    private static final Object KEY = VersionMemory.class;

    private final Deque<Object> steps = new ArrayDeque<>();

    private VersionMemory() {}

    /**
     * Remembers how to take one back; does nothing where no transaction is open, as in a scope of Spring's that has none
     * (SUPPORTS): what was written there stays.
     */
    public static void remember(Runnable back) {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            current().steps.push(back);
        }
    }

    private static VersionMemory current() {
        Object bound = TransactionSynchronizationManager.getResource(KEY);
        if (bound instanceof VersionMemory memory) {
            return memory;
        }
        VersionMemory memory = new VersionMemory();
        TransactionSynchronizationManager.bindResource(KEY, memory);
        TransactionSynchronizationManager.registerSynchronization(memory);
        return memory;
    }

    @Override
    public void savepoint(Object savepoint) {
        steps.push(new Mark(savepoint));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        Mark mark = new Mark(savepoint);
        takeBack(steps.contains(mark) ? mark : null);
    }

    private void takeBack(@Nullable Mark until) {
        while (!steps.isEmpty() && !steps.peek().equals(until)) {
            if (steps.pop() instanceof Runnable back) {
                back.run();
            }
        }
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResource(KEY);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(KEY, this);
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        if (status == STATUS_ROLLED_BACK) {
            takeBack(null);
        }
    }

    private record Mark(Object savepoint) {}
}
