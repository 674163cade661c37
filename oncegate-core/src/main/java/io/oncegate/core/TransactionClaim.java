package io.oncegate.core;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A claim in same-transaction mode. The row's lock stands for the lease: it ends with the transaction. */
final class TransactionClaim<T> implements Claim<T> {
    private final SameTransactionOncegate engine;
    private final Call<T> call;
    private final ClaimRequest request;
    private final RecordTransaction transaction;
    private final FastSide side;
    private final boolean late;
    private final long fence;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * Creates the claim.
     *
     * @param side what goes along
     * @param late whether the record is only written at the end
     */
    TransactionClaim(
            SameTransactionOncegate engine,
            Call<T> call,
            ClaimRequest request,
            RecordTransaction transaction,
            FastSide side,
            boolean late,
            long fence) {
        this.engine = engine;
        this.call = call;
        this.request = request;
        this.transaction = transaction;
        this.side = side;
        this.late = late;
        this.fence = fence;
    }

    RecordTransaction transaction() {
        return transaction;
    }

    FastSide side() {
        return side;
    }

    Call<T> call() {
        return call;
    }

    /** What a reconciler may know of it: it runs on a thread of its own, where the transaction is none of its business. */
    ClaimContext forReconciler() {
        return new ReconcilerContext(
                key(), fence, System.nanoTime() + request.lease().toNanos());
    }

    private record ReconcilerContext(OperationKey key, long fence, long deadline) implements ClaimContext {
        @Override
        public boolean live() {
            return deadline - System.nanoTime() > 0;
        }

        @Override
        public Duration remaining() {
            return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        }

        @Override
        public <R> @Nullable R unwrap(Class<R> type) {
            return null;
        }
    }

    ClaimRequest request() {
        return request;
    }

    @Override
    public OperationKey key() {
        return call.key();
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public boolean live() {
        return !ended.get();
    }

    @Override
    public Duration remaining() {
        return live() ? request.lease() : Duration.ZERO;
    }

    @Override
    public <R> @Nullable R unwrap(Class<R> type) {
        return transaction.unwrap(type);
    }

    @Override
    public Outcome<T> succeed(@Nullable T value) {
        end();
        return AbstractOncegate.uninterrupted(() -> {
            Payload result = engine.results.encode(call, value);
            Settlement settlement = settlement(RecordState.SUCCEEDED, result);
            Supplier<Outcome<T>> done = () -> engine.told(call, new Outcome.Executed<>(value));
            if (late) {
                return recordLate(transaction, settlement, done);
            }
            if (result != null && !call.operation().returnsNothing()) {
                complete(settlement);
            }
            return engine.commit(this, settlement, done);
        });
    }

    @Override
    public Outcome<T> fail(Throwable failure) {
        end();
        return AbstractOncegate.uninterrupted(() -> {
            Refusal<?, ?> refusal = call.operation().refusalOf(failure);
            if (refusal != null && failure instanceof RuntimeException thrown) {
                return keep(
                        settlement(RecordState.REFUSED, engine.results.encode(call, refusal, thrown)),
                        () -> engine.told(call, new Outcome.Refused<>(thrown, false)));
            }
            if (call.operation().meaningOf(failure) == FailureKind.NOBODY_KNOWS) {
                Duration pause = engine.pauseAfter(call, 0);
                Outcome<T> unknown = AbstractOncegate.unknown(call, failure, pause);
                Settlement settlement =
                        Settlement.unknown(call.operation().settings().retention(), pause);
                return engine.leaveUnknown(
                        call, pause, () -> keepUnknown(settlement, () -> engine.told(call, unknown)));
            }
            rollback();
            Outcome<T> twins = late ? twinsOutcome() : null;
            return twins != null ? twins : engine.told(call, new Outcome.Failed<>(failure));
        });
    }

    @Override
    public void release() {
        end();
        rollback();
    }

    private void rollback() {
        transaction.rollback();
        side.over();
    }

    private Settlement settlement(RecordState state, @Nullable Payload result) {
        return AbstractOncegate.settlement(call, state, result);
    }

    private Outcome<T> keep(Settlement settlement, Supplier<Outcome<T>> done) {
        if (late) {
            transaction.rollback();
            return recordLate(engine.beginAgain(), settlement, done);
        }
        try {
            transaction.rollbackToSavepoint();
        } catch (RuntimeException e) {
            rollback();
            throw e;
        }
        complete(settlement);
        return engine.commit(this, settlement, done);
    }

    /** Unlike a refusal it is kept whatever becomes of the transaction: the effect outside was not undone with that. */
    private Outcome<T> keepUnknown(Settlement settlement, Supplier<Outcome<T>> done) {
        if (late) {
            transaction.rollback();
            return engine.unknowns.write(this, settlement, done, null);
        }
        boolean joined = transaction.joined();
        boolean outlives = joined && engine.unknowns.outliveRollback(this, settlement);
        try {
            transaction.rollbackToSavepoint();
            transaction.complete(settlement);
            transaction.commit();
        } catch (RuntimeException e) {
            transaction.rollback();
            if (!joined) {
                return engine.unknowns.write(this, settlement, done, e);
            } else if (!outlives) {
                side.over();
                throw e;
            }
        }
        if (!outlives) {
            side.over();
        }
        return done.get();
    }

    private void complete(Settlement settlement) {
        side.writing();
        try {
            transaction.complete(settlement);
        } catch (RuntimeException e) {
            rollback();
            throw e;
        }
    }

    /** Writes the record with its outcome, unless a twin has been faster: then the twin's outcome counts. */
    private Outcome<T> recordLate(RecordTransaction in, Settlement settlement, Supplier<Outcome<T>> done) {
        AbstractOncegate.Asked asked;
        try {
            Duration wait = call.operation().settings().waitUpTo();
            asked = AbstractOncegate.ask(request, asking -> in.recordFirst(asking, settlement, wait));
        } catch (RuntimeException e) {
            in.rollback();
            throw e;
        }
        if (asked.answer() instanceof ClaimAnswer.Granted granted) {
            return engine.commit(
                    new TransactionClaim<>(engine, call, asked.request(), in, side, true, granted.fence()),
                    settlement,
                    done);
        }
        in.rollback();
        return engine.told(call, engine.outcome(call, asked.answer()));
    }

    /** What a twin has recorded meanwhile; null if there is nothing. The failure may be the twin's doing. */
    private @Nullable Outcome<T> twinsOutcome() {
        RecordTransaction again;
        try {
            again = engine.beginAgain();
        } catch (StoreUnavailableException e) {
            return null;
        }
        try {
            Settlement unused = settlement(RecordState.SUCCEEDED, null);
            AbstractOncegate.Asked asked = AbstractOncegate.ask(
                    request,
                    asking -> again.recordFirst(
                            asking, unused, call.operation().settings().waitUpTo()));
            return asked.answer() instanceof ClaimAnswer.Granted
                    ? null
                    : engine.told(call, engine.outcome(call, asked.answer()));
        } catch (StoreUnavailableException e) {
            return null;
        } finally {
            again.rollback();
        }
    }

    private void end() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("the claim of " + key() + " has been ended already; end it once");
        }
        side.ending();
    }
}
