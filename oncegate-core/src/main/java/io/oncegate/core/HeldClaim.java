package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A claim in claimed mode, with the renewal of its lease.
 *
 * <p>Renewals: one at a third of the lease, then the next; after a failure sooner, for the store may come back in time.
 * They end with the claim, when the store says that it is lost, or after a whole retention. The lease's end that this
 * process believes in is counted from before the request was sent, by the monotonic clock: it is never later than the
 * store's. Ending and renewing may meet; the lock only guards which renewal is scheduled.
 */
final class HeldClaim<T> implements Claim<T> {
    private final ClaimedOncegate engine;
    private final Call<T> call;
    private final ClaimRequest request;
    private final ClaimRef ref;
    private final long leaseNanos;
    private final long keepUntil;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ReentrantLock scheduling = new ReentrantLock();
    private volatile long leaseEnd;
    private volatile boolean lost;
    private boolean keeping = true;
    private @Nullable Future<?> next;

    HeldClaim(ClaimedOncegate engine, Call<T> call, ClaimRequest request, long fence, long sentNanos) {
        this.engine = engine;
        this.call = call;
        this.request = request;
        this.ref = new ClaimRef(request.id(), fence, request.attempt());
        this.leaseNanos = request.lease().toNanos();
        this.leaseEnd = sentNanos + leaseNanos;
        this.keepUntil = sentNanos + request.retention().toNanos();
    }

    ClaimRef ref() {
        return ref;
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
        return ref.fence();
    }

    @Override
    public boolean live() {
        return !lost && leaseEnd - System.nanoTime() > 0;
    }

    @Override
    public Duration remaining() {
        return live() ? Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime())) : Duration.ZERO;
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
        Refusal<?, ?> refusal = AbstractOncegate.refusalOf(call.operation(), failure);
        if (refusal != null && failure instanceof RuntimeException thrown) {
            Settlement settlement = settlement(RecordState.REFUSED, engine.results.encode(call, refusal, thrown));
            return engine.settle(this, settlement, () -> engine.told(call, new Outcome.Refused<>(thrown, false)));
        }
        if (engine.kindOf(call, failure) == FailureKind.NOBODY_KNOWS) {
            Duration pause = engine.pauseAfter(call, 0);
            return settleUnknown(
                    pause,
                    () -> engine.told(call, new Outcome.Unknown<>(key(), failure, pause.isZero() ? null : pause)));
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
        return switch (engine.store().release(ref)) {
            case DONE -> new Outcome.Failed<>(new IllegalStateException("reconciled as not done"));
            case LOST, SETTLED -> new Outcome.Held<>(key(), request.lease());
        };
    }

    /** Leaves it unknown after it has been asked about so often; not to be recorded costs another time of asking. */
    Outcome<T> stillUnknown(int asked) {
        end();
        Duration pause = engine.pauseAfter(call, asked);
        Outcome<T> unknown = new Outcome.Unknown<>(key(), null, pause.isZero() ? null : pause);
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
        Operation.Settings<T> settings = call.operation().settings();
        return new Settlement(state, result, settings.retention(), settings.resultRetention());
    }

    private void end() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("the claim of " + key() + " has been ended already; end it once");
        }
    }

    void keepLease() {
        schedule(leaseNanos / 3);
    }

    private void schedule(long nanos) {
        scheduling.lock();
        try {
            if (keeping && !engine.threads.closed()) {
                next = engine.threads.keep(this::renew, Math.max(1_000_000, nanos));
            }
        } catch (RejectedExecutionException e) {
            keeping = false; // closed meanwhile
        } finally {
            scheduling.unlock();
        }
    }

    void stopKeeping() {
        scheduling.lock();
        try {
            keeping = false;
            if (next != null) {
                next.cancel(false);
            }
        } finally {
            scheduling.unlock();
        }
    }

    private boolean keeping() {
        scheduling.lock();
        try {
            return keeping;
        } finally {
            scheduling.unlock();
        }
    }

    private void renew() {
        long sent = System.nanoTime();
        if (!keeping() || sent - keepUntil >= 0) {
            return;
        }
        try {
            HolderAnswer answer = engine.store().renew(ref, request.lease());
            if (answer == HolderAnswer.DONE) {
                leaseEnd = sent + leaseNanos;
                schedule(leaseNanos / 3);
            } else if (keeping()) {
                lost = true;
                engine.events.tell(Kind.LOST, key());
            }
        } catch (StoreUnavailableException e) {
            schedule(leaseNanos / 10);
        }
    }
}
