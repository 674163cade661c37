package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.Reconciler.Finding;
import io.oncegate.core.spi.ClaimAnswer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks reconcilers, on threads of their own, so that one that hangs holds up its caller for a lease at most. Whatever goes
 * wrong leaves the outcome unknown. Thread-safe.
 */
final class Inquirer {
    private final Events events;
    private final Threads threads;

    Inquirer(Events events, Threads threads) {
        this.events = events;
        this.threads = threads;
    }

    /**
     * Asks, and believes a <em>not done</em> only as long as the peer remembers.
     *
     * @param let what the store said when it let the asker in
     * @param sentNanos when the store was asked
     */
    <T> Finding<T> find(Call<T> call, ClaimContext claim, ClaimAnswer.Reconcile let, long sentNanos) {
        Finding<T> finding = ask(call, claim, sentNanos);
        if (finding instanceof Finding.StillUnknown) {
            return finding;
        }
        Duration age = let.age().plusNanos(System.nanoTime() - sentNanos);
        if (finding instanceof Finding.NotDone && !policy(call).believes(age)) {
            events.warn(
                    Kind.UNKNOWN,
                    call.key(),
                    "the reconciler says not done, but the peer may have forgotten by now; the outcome stays unknown: find out"
                            + " by hand, then forget the record",
                    new IllegalStateException(
                            "age " + age + ", peer's retention " + policy(call).peerRetention()));
            return new Finding.StillUnknown<>();
        }
        events.tell(Kind.RECONCILED, call.key());
        return finding;
    }

    /** Tells whom it may concern that an outcome will not be asked about any more; what is left to wait for otherwise. */
    Duration pauseAfter(Call<?> call, int asked) {
        Duration pause = policy(call).pauseAfter(asked);
        if (pause.isZero()) {
            events.warn(
                    Kind.GIVEN_UP,
                    call.key(),
                    "the outcome stays unknown and is not asked about any more: find out by hand, then forget the record",
                    new IllegalStateException("asked " + asked + " times"));
        }
        return pause;
    }

    static ReconcilePolicy policy(Call<?> call) {
        return call.operation().settings().reconciling();
    }

    @SuppressWarnings("NullAway") // only those are let in who have a reconciler
    private <T> Finding<T> ask(Call<T> call, ClaimContext claim, long sentNanos) {
        Reconciler<T> reconciler = call.operation().settings().reconciler();
        long lease = call.operation().settings().lease().toNanos();
        Future<Finding<T>> asked;
        try {
            asked = threads.ask(() -> reconciler.reconcile(call.key(), claim));
        } catch (RejectedExecutionException e) {
            return new Finding.StillUnknown<>(); // closed meanwhile
        }
        Throwable failure;
        try {
            Finding<T> finding = asked.get(sentNanos + lease - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (finding != null) {
                return finding;
            }
            failure = new NullPointerException("the reconciler returned nothing");
        } catch (ExecutionException e) {
            failure = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            asked.cancel(true);
            failure = e;
        } catch (InterruptedException e) {
            asked.cancel(true);
            Thread.currentThread().interrupt();
            failure = e;
        }
        events.warn(
                Kind.UNKNOWN, call.key(), "the reconciler failed or took a lease; the outcome stays unknown", failure);
        return new Finding.StillUnknown<>();
    }
}
