package io.oncegate.spring.annotation;

import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.key.OperationKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A claim whose effect belongs to a transaction of the caller: it is settled when both the business and that transaction
 * have ended, so that a twin is held until then. Committed: the outcome counts. Rolled back, wholly or to a savepoint from
 * before the call: nothing has happened, and the key is free; but after a failure of which nobody knows what it has left
 * outside, the outcome stays unknown. Unknown: the outcome is unknown.
 *
 * <p>Bound to the transaction's thread, except that a business may end on another one.
 */
final class CallerTransaction implements TransactionSynchronization {
    private final Call<Object> call;
    private final Claim<Object> claim;
    private final Executor executor;
    private final CompletableFuture<End> business = new CompletableFuture<>();
    private final Set<Object> laterSavepoints = new HashSet<>();
    private final AtomicBoolean settled = new AtomicBoolean();
    private boolean registered;

    /** How the business ended. */
    record End(
            @Nullable Object stored,
            @Nullable Object result,
            @Nullable Throwable failure) {}

    private CallerTransaction(Call<Object> call, Claim<Object> claim, Executor executor) {
        this.call = call;
        this.claim = claim;
        this.executor = executor;
    }

    static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Ties a claim to the running transaction, before its business begins. */
    static CallerTransaction join(Call<Object> call, Claim<Object> claim, Executor executor) {
        CallerTransaction joined = new CallerTransaction(call, claim, executor);
        TransactionSynchronizationManager.registerSynchronization(joined);
        joined.registered = true;
        HeldKeys.add(call.key());
        return joined;
    }

    /**
     * How an earlier call of this transaction with the same key ended: it is answered so again, for both are committed or
     * rolled back together. Null if there is none.
     */
    static @Nullable End earlier(Call<Object> call) {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof CallerTransaction joined
                    && joined.call.key().equals(call.key())
                    && !joined.settled.get()
                    && joined.business.isDone()) {
                List<String> different = call.fingerprint().differences(joined.call.fingerprint());
                if (!different.isEmpty()) {
                    OperationKey key = call.key();
                    throw new MismatchException(key.operation(), different, key.digest());
                }
                return joined.business.join();
            }
        }
        return null;
    }

    /** The business has ended. */
    void ended(End end) {
        business.complete(end);
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            completed(STATUS_ROLLED_BACK);
        }
    }

    /** An exception here reaches the caller, whose transaction is committed: he is not told an unrecorded outcome. */
    @Override
    public void afterCommit() {
        if (business.isDone()) {
            completed(STATUS_COMMITTED);
        }
    }

    @Override
    public void afterCompletion(int status) {
        completed(status);
    }

    private void completed(int status) {
        if (registered) {
            registered = false;
            HeldKeys.remove(call.key());
        }
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        if (business.isDone()) {
            settle(status, business.join());
        } else {
            var unused = business.thenAcceptAsync(end -> settle(status, end), executor);
        }
    }

    private void settle(int status, End end) {
        Throwable failure = end.failure();
        if (status == STATUS_ROLLED_BACK
                && (failure == null || !call.operation().leavesUnknown(failure))) {
            claim.release();
        } else if (status == STATUS_UNKNOWN) {
            var unused = claim.fail(new Unknown());
        } else if (failure != null) {
            var unused = claim.fail(failure);
        } else {
            var unused = claim.succeed(end.stored());
        }
    }

    /** Nobody knows whether the caller's transaction was committed. */
    static final class Unknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unknown() {
            super("the outcome of the caller's transaction is unknown", null, false, false);
        }
    }
}
