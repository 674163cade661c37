package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ObservedTransaction;
import io.oncegate.core.spi.ObservedTransaction.End;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps unknown outcomes whose transaction is gone, each in a transaction of its own: what may have happened outside was not
 * undone with it, so the key must not be free. Thread-safe.
 *
 * <p>Until it is written a twin can get in only where neither the record's lock nor a ladder's fast claim is there any more. A
 * twin that has got in is not disturbed: once it has an outcome, that counts.
 */
final class KeptUnknowns {
    private static final int MAX_PENDING = 1000;
    private static final long EVERY = Duration.ofMillis(500).toNanos();

    private final Semaphore places = new Semaphore(MAX_PENDING);
    private final SameTransactionOncegate engine;
    private final TransactionalRecordStore store;

    KeptUnknowns(SameTransactionOncegate engine, TransactionalRecordStore store) {
        this.engine = engine;
        this.store = store;
    }

    /**
     * Writes it now, or goes on in the background.
     *
     * @param done what the caller is told if it is written
     * @param cause what became of its transaction
     * @throws OutcomeNotRecordedException if it could not be written in time
     */
    <T> Outcome<T> write(
            TransactionClaim<T> claim, Settlement unknown, Supplier<Outcome<T>> done, @Nullable Throwable cause) {
        Call<T> call = claim.call();
        long deadline = System.nanoTime() + engine.settleFor.toNanos();
        Backoff backoff = new Backoff(Duration.ofMillis(20));
        do {
            ClaimAnswer answer = tryToWrite(claim.request(), unknown);
            if (written(answer)) {
                claim.side().over();
                return done.get();
            } else if (answer != null && !(answer instanceof ClaimAnswer.Held)) {
                claim.side().over();
                return engine.told(call, engine.outcome(call, answer));
            }
        } while (AbstractOncegate.pause(backoff, deadline));
        later(claim, unknown);
        IllegalStateException gone = new IllegalStateException("its transaction is gone", cause);
        engine.events.warn(Kind.NOT_RECORDED, call.key(), "that the outcome is unknown could not be recorded", gone);
        throw new OutcomeNotRecordedException(
                call.operation().name(),
                "the database did not take it that nobody knows it",
                call.key().digest(),
                gone);
    }

    /**
     * Sees to it that it outlives the rollback of the caller's transaction. To be asked before it is written there.
     *
     * @return false if that transaction does not tell how it ends: a rollback loses it
     */
    boolean outliveRollback(TransactionClaim<?> claim, Settlement unknown) {
        return claim.transaction() instanceof ObservedTransaction observed
                && observed.whenEnded(end -> {
                    if (end == End.COMMITTED) {
                        claim.side().over();
                    } else {
                        later(claim, unknown); // not here: the caller still has his connection
                    }
                });
    }

    private void later(TransactionClaim<?> claim, Settlement unknown) {
        claim.side().parted();
        if (places.tryAcquire()) {
            Duration longest = claim.call().operation().retention();
            schedule(claim, unknown, 0, System.nanoTime() + longest.toNanos());
        } else {
            claim.side().unknown();
        }
    }

    private void schedule(TransactionClaim<?> claim, Settlement unknown, long pause, long until) {
        try {
            var ignored = engine.threads.keep(() -> again(claim, unknown, until), pause);
        } catch (RejectedExecutionException e) {
            end(claim); // closed meanwhile
        }
    }

    private void again(TransactionClaim<?> claim, Settlement unknown, long until) {
        ClaimAnswer answer = tryToWrite(claim.request(), unknown);
        if ((answer == null || answer instanceof ClaimAnswer.Held) && System.nanoTime() - until < 0) {
            schedule(claim, unknown, EVERY, until);
            return;
        }
        end(claim);
        if (written(answer)) {
            boolean ignored = engine.inquiries.add(claim.call(), unknown.resultRetention());
        }
    }

    private void end(TransactionClaim<?> claim) {
        places.release();
        claim.side().over();
    }

    private static boolean written(@Nullable ClaimAnswer answer) {
        return answer instanceof ClaimAnswer.Granted || answer instanceof ClaimAnswer.Unknown;
    }

    /**
     * What the record says then; null without an answer, also if whether it is written is not known. Whatever went wrong, it is
     * worth another try: nobody else will remember it.
     */
    private @Nullable ClaimAnswer tryToWrite(ClaimRequest request, Settlement unknown) {
        RecordTransaction transaction;
        try {
            transaction = store.begin();
        } catch (RuntimeException e) {
            return null;
        }
        try {
            ClaimAnswer answer = transaction.recordFirst(request.afterBusiness(), unknown, Duration.ZERO);
            if (answer instanceof ClaimAnswer.Granted) {
                transaction.commit();
            } else {
                transaction.rollback();
            }
            return answer;
        } catch (RuntimeException e) {
            transaction.rollback();
            return null;
        }
    }
}
