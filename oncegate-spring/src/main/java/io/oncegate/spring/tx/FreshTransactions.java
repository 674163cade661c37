package io.oncegate.spring.tx;

import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.spring.tx.internal.Conflicts;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs work in a transaction of its own, and runs the whole of it again in a fresh one where the database has ended it by
 * itself (deadlock, serialization failure) or a version was stale. Thread-safe.
 *
 * <p>The work has to read what it decides on inside: whatever it brings along is as stale at the second try as at the first.
 * Effects outside the transaction may repeat. A commit whose outcome nobody knows is not tried again.
 *
 * <p>Inside a transaction it refuses to begin: that one holds the old reads and is marked for rollback, so that no try in it
 * could be fresh.
 */
public final class FreshTransactions {
    private final TransactionTemplate template;
    private final RetryPolicy policy;

    /** With {@link RetryPolicy#DEFAULT} and the manager's isolation. */
    public FreshTransactions(PlatformTransactionManager manager) {
        this(manager, RetryPolicy.DEFAULT);
    }

    /** With this policy and the manager's isolation. */
    public FreshTransactions(PlatformTransactionManager manager, RetryPolicy policy) {
        this(manager, policy, TransactionDefinition.withDefaults());
    }

    /**
     * With this policy and these transactions.
     *
     * @param definition isolation, time-out and name; its propagation does not count
     */
    public FreshTransactions(PlatformTransactionManager manager, RetryPolicy policy, TransactionDefinition definition) {
        DefaultTransactionDefinition own = new DefaultTransactionDefinition(definition);
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.template = new TransactionTemplate(manager, own);
        this.policy = policy;
    }

    /**
     * Runs the work until it has been committed, fails with what is not to be repeated, or the policy's tries or time are up.
     *
     * @throws IllegalStateException inside a transaction
     */
    public <T extends @Nullable Object> T run(Supplier<T> work) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "a transaction is open on this thread, in which no try could be fresh; call this"
                            + " before it begins, or let its own caller retry the whole of it");
        }
        return policy.run(FreshTransactions::mayRepeat, () -> template.execute(status -> work.get()));
    }

    /** The same for work that returns nothing. */
    public void run(Runnable work) {
        run(() -> {
            work.run();
            return "";
        });
    }

    /** What a mapper throws by itself counts too, wherever in the work it did. */
    private static boolean mayRepeat(Throwable failure) {
        return Conflicts.isOptimistic(failure) || RetryPolicy.mayRepeat(failure);
    }
}
