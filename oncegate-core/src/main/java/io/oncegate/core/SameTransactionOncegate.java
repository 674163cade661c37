package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Same-transaction mode: record and effect commit together.
 *
 * <p>The record is written first, as if the operation had already succeeded, so that whatever is committed answers and
 * never runs again; without a result that one statement is all. A result or a refusal replaces it before the commit. A
 * commit that failed or whose reply was lost is looked for by writing the record first again, under the same attempt, in a
 * new transaction: if that finds the record, it had committed; if it can write, it had not.
 */
class SameTransactionOncegate extends AbstractOncegate {
    private static final int DEADLOCK_TRIES = 10;

    final KeptUnknowns unknowns;
    private final TransactionalRecordStore store;

    SameTransactionOncegate(
            TransactionalRecordStore store, Results results, Events events, Threads threads, Duration settleFor) {
        super(results, events, threads, settleFor);
        this.store = store;
        this.unknowns = new KeptUnknowns(this, store);
    }

    @Override
    final void requireMovable(Claim<?> claim) {
        if (claim instanceof TransactionClaim<?> held
                && (held.transaction().joined() || held.transaction().threadBound())) {
            throw new IllegalStateException("operation " + claim.key().operation()
                    + ": an asynchronous business cannot run in a transaction that is bound to a thread or belongs to the"
                    + " caller; use claimed mode, or a transaction source of its own");
        }
    }

    @Override
    <T> Begun<T> tryBegin(Call<T> call, AttemptId attempt) {
        requireOwnPolicies(call.operation());
        return begin(call, attempt, FastSide.NONE);
    }

    /** Asks the record, and tells what goes along. */
    final <T> Begun<T> begin(Call<T> call, AttemptId attempt, FastSide side) {
        try {
            return begin(call, request(call, attempt), side);
        } catch (StoreUnavailableException e) {
            events.tell(Kind.STORE_DOWN, call.key());
            throw e;
        }
    }

    @Override
    public void check(Operation<?> operation) {
        requireOwnPolicies(operation);
        super.check(operation);
    }

    static void requireOwnPolicies(Operation<?> operation) {
        Operation.Settings<?> settings = operation.settings();
        if (settings.whenStoreDown() == WhenStoreDown.RUN_UNPROTECTED) {
            throw new IllegalArgumentException("operation " + operation.name()
                    + ": running unprotected belongs to claimed mode; take it off the operation");
        }
    }

    private <T> Begun<T> begin(Call<T> call, ClaimRequest request, FastSide side) {
        Backoff backoff = new Backoff(Duration.ofMillis(2));
        for (int tries = 1; ; tries++) {
            RecordTransaction transaction = store.begin();
            try {
                if (call.operation().settings().recordLate() && !transaction.joined()) {
                    return new Begun.Started<>(new TransactionClaim<>(this, call, request, transaction, side, true, 0));
                }
                return recordFirst(call, request, transaction, side);
            } catch (TransactionDeadException e) {
                transaction.rollback();
                if (transaction.joined() || tries == DEADLOCK_TRIES || !pause(backoff, Long.MAX_VALUE)) {
                    throw e;
                }
            } catch (RuntimeException | Error e) {
                transaction.rollback();
                throw e;
            }
        }
    }

    private <T> Begun<T> recordFirst(Call<T> call, ClaimRequest request, RecordTransaction transaction, FastSide side) {
        // In a transaction of our own, waiting is done outside, so that waiting calls hold no connections.
        Duration wait = transaction.joined() ? call.operation().settings().waitUpTo() : Duration.ZERO;
        Settlement inAdvance = settlement(call, RecordState.SUCCEEDED, inAdvance(call));
        side.writing();
        Asked asked = ask(request, asking -> transaction.recordFirst(asking, inAdvance, wait));
        if (asked.answer() instanceof ClaimAnswer.Granted granted) {
            return started(
                    new TransactionClaim<>(this, call, asked.request(), transaction, side, false, granted.fence()));
        }
        if (asked.answer() instanceof ClaimAnswer.Reconcile let) {
            return reconcile(
                    new TransactionClaim<>(this, call, asked.request(), transaction, side, false, let.fence()),
                    let,
                    asked.sentNanos());
        }
        leave(transaction);
        side.answered(transaction, asked.answer());
        return new Begun.Answered<>(outcome(call, asked.answer()));
    }

    private static <T> Begun<T> started(TransactionClaim<T> claim) {
        if (claim.call().operation().settings().failuresMayBeKept()) {
            claim.transaction().savepoint();
        }
        claim.side().started(claim.transaction());
        return new Begun.Started<>(claim);
    }

    /** Asks while the record is locked, which stands for the lease; what was not done is run in the same transaction. */
    private <T> Begun<T> reconcile(TransactionClaim<T> claim, ClaimAnswer.Reconcile let, long sentNanos) {
        Call<T> call = claim.call();
        Reconciler.Finding<T> finding = inquirer.find(call, claim.forReconciler(), let, sentNanos);
        if (finding instanceof Reconciler.Finding.NotDone<T>) {
            claim.side().writing();
            claim.transaction().complete(settlement(call, RecordState.SUCCEEDED, inAdvance(call)));
            return started(claim);
        }
        claim.side().ending();
        if (finding instanceof Reconciler.Finding.Done<T> done) {
            Settlement found = settlement(call, RecordState.SUCCEEDED, results.encode(call, done.value()));
            claim.side().writing();
            claim.transaction().complete(found);
            return new Begun.Answered<>(commit(claim, found, () -> new Outcome.Replayed<>(done.value())));
        }
        Duration pause = pauseAfter(call, let.asked());
        Settlement settlement = Settlement.unknown(call.operation().settings().retention(), pause);
        Outcome<T> unknown = unknown(call, null, pause);
        return new Begun.Answered<>(leaveUnknown(call, pause, () -> {
            claim.transaction().complete(settlement);
            return commit(claim, settlement, () -> unknown);
        }));
    }

    @Override
    Duration inquire(Call<?> call) {
        return inquireOnce(call);
    }

    private <T> Duration inquireOnce(Call<T> call) {
        RecordTransaction transaction = store.begin();
        try {
            Begun<T> begun = recordFirst(call, inquiry(call), transaction, FastSide.NONE);
            if (begun instanceof Begun.Started<T>) {
                transaction.release();
                transaction.commit();
                return Duration.ZERO;
            }
            return nextInquiry(((Begun.Answered<T>) begun).outcome());
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
    }

    /** Ends a transaction in which we have changed nothing; a joined one goes on. */
    static void leave(RecordTransaction transaction) {
        if (transaction.joined()) {
            transaction.commit();
        } else {
            transaction.rollback();
        }
    }

    /** What the record says before the business has returned: with no result to come, all of it. */
    static @Nullable Payload inAdvance(Call<?> call) {
        return call.operation().returnsNothing() ? Results.ofNull() : null;
    }

    /**
     * Commits and answers.
     *
     * @param written what the record says
     * @param done what the caller is told if it is committed
     */
    <T> Outcome<T> commit(TransactionClaim<T> claim, Settlement written, Supplier<Outcome<T>> done) {
        FastSide side = claim.side();
        try {
            if (claim.transaction().joined()) {
                side.left(claim.transaction(), written);
                claim.transaction().commit();
                return done.get();
            }
            claim.transaction().commit();
        } catch (StoreUnavailableException e) {
            if (claim.transaction().joined()) {
                // Nothing was sent to be committed: there is no commit to look for, the caller has to roll back.
                throw e;
            }
            return afterUnknownCommit(claim, written, done, e);
        } catch (RuntimeException | Error e) {
            side.over();
            throw e;
        }
        side.committed(written);
        return done.get();
    }

    private <T> Outcome<T> afterUnknownCommit(
            TransactionClaim<T> claim, Settlement written, Supplier<Outcome<T>> done, StoreUnavailableException cause) {
        Call<T> call = claim.call();
        ClaimRequest request = claim.request().afterBusiness();
        long deadline = System.nanoTime() + settleFor.toNanos();
        Backoff backoff = new Backoff(Duration.ofMillis(20));
        do {
            ClaimAnswer answer = look(call, request);
            if ((answer instanceof ClaimAnswer.Replay replay && replay.own())
                    || (answer instanceof ClaimAnswer.NoResult none && none.own())) {
                claim.side().committed(written);
                return done.get();
            } else if (answer instanceof ClaimAnswer.Granted) {
                claim.side().over();
                throw new StoreUnavailableException(
                        store.name(), "the transaction was rolled back at its commit; send the request again", cause);
            } else if (answer != null && !(answer instanceof ClaimAnswer.Held)) {
                claim.side().over();
                return told(call, outcome(call, answer));
            }
        } while (pause(backoff, deadline));
        claim.side().unknown();
        events.warn(Kind.NOT_RECORDED, call.key(), "whether the transaction was committed is not known", cause);
        throw new OutcomeNotRecordedException(
                call.operation().name(),
                "the reply to the commit was lost",
                call.key().digest(),
                cause);
    }

    /** Asks what a key's record says, as a writer does, and changes nothing; null if there is no answer. */
    private @Nullable ClaimAnswer look(Call<?> call, ClaimRequest request) {
        RecordTransaction transaction;
        try {
            transaction = store.begin();
        } catch (StoreUnavailableException e) {
            return null;
        }
        try {
            Settlement ignored = settlement(call, RecordState.SUCCEEDED, null);
            return transaction.recordFirst(request, ignored, Duration.ZERO);
        } catch (StoreUnavailableException e) {
            return null;
        } finally {
            transaction.rollback();
        }
    }

    /** Begins another transaction, for a claim whose own is over. */
    RecordTransaction beginAgain() {
        return store.begin();
    }
}
