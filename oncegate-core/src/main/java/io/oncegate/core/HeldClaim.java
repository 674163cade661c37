package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A claim in claimed mode, whose lease is renewed until it ends, for a whole retention at most. */
final class HeldClaim<T> implements Claim<T> {
    private final ClaimedOncegate engine;
    private final Call<T> call;
    private final ClaimRequest request;
    private final KeptLease lease;
    private final AtomicBoolean ended = new AtomicBoolean();

    HeldClaim(ClaimedOncegate engine, Call<T> call, ClaimRequest request, long fence, long sentNanos) {
        this.engine = engine;
        this.call = call;
        this.request = request;
        this.lease = new KeptLease(
                engine.store(),
                engine.threads,
                new ClaimRef(request.id(), fence, request.attempt()),
                request.lease(),
                sentNanos,
                request.retention(),
                () -> engine.events.tell(Kind.LOST, call.key()));
    }

    ClaimRef ref() {
        return lease.ref();
    }

    Call<T> call() {
        return call;
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
        return lease.ref().fence();
    }

    @Override
    public boolean live() {
        return lease.live();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public <R> @Nullable R unwrap(Class<R> type) {
        return null;
    }

    @Override
    public Outcome<T> succeed(@Nullable T value) {
        end();
        Settlement settlement = settlement(RecordState.SUCCEEDED, engine.results.encode(call, value));
        return engine.settle(this, settlement, () -> engine.told(call, new Outcome.Executed<>(value)));
    }

    @Override
    public Outcome<T> fail(Throwable failure) {
        end();
        Refusal<?, ?> refusal = call.operation().refusalOf(failure);
        if (refusal != null && failure instanceof RuntimeException thrown) {
            Settlement settlement = settlement(RecordState.REFUSED, engine.results.encode(call, refusal, thrown));
            return engine.settle(this, settlement, () -> engine.told(call, new Outcome.Refused<>(thrown, false)));
        }
        if (call.operation().meaningOf(failure) == FailureKind.NOBODY_KNOWS) {
            Duration pause = engine.pauseAfter(call, 0);
            return settleUnknown(pause, () -> engine.told(call, AbstractOncegate.unknown(call, failure, pause)));
        }
        engine.release(this);
        return engine.told(call, new Outcome.Failed<>(failure));
    }

    @Override
    public void release() {
        end();
        engine.release(this);
    }

    Outcome<T> reconciled(@Nullable T value) {
        end();
        Settlement settlement = settlement(RecordState.SUCCEEDED, engine.results.encode(call, value));
        return engine.settle(this, settlement, () -> new Outcome.Replayed<>(value));
    }

    /** Frees the key; {@code Failed} says that the business may now run. */
    Outcome<T> reconciledAsNotDone() {
        end();
        stopKeeping();
        return switch (engine.store().release(lease.ref())) {
            case DONE -> new Outcome.Failed<>(new IllegalStateException("reconciled as not done"));
            case LOST, SETTLED -> new Outcome.Held<>(key(), request.lease());
        };
    }

    /** Leaves it unknown after it has been asked about so often; not to be recorded costs another time of asking. */
    Outcome<T> stillUnknown(int asked) {
        end();
        Duration pause = engine.pauseAfter(call, asked);
        Outcome<T> unknown = AbstractOncegate.unknown(call, null, pause);
        try {
            return settleUnknown(pause, () -> unknown);
        } catch (OutcomeNotRecordedException e) {
            return unknown;
        }
    }

    private Outcome<T> settleUnknown(Duration pause, Supplier<Outcome<T>> done) {
        Settlement settlement = Settlement.unknown(call.operation().settings().retention(), pause);
        return engine.leaveUnknown(call, pause, () -> engine.settle(this, settlement, done));
    }

    private Settlement settlement(RecordState state, @Nullable Payload result) {
        return AbstractOncegate.settlement(call, state, result);
    }

    private void end() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("the claim of " + key() + " has been ended already; end it once");
        }
    }

    void keepLease() {
        lease.keep();
    }

    void stopKeeping() {
        var unused = lease.stop();
    }
}
