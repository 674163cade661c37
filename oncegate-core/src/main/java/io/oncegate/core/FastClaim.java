package io.oncegate.core;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ObservedTransaction;
import io.oncegate.core.spi.ObservedTransaction.End;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A ladder's claim in its fast store. It keeps twins from the judge while the business runs, and is settled with what the
 * judge has committed, by nobody else. Ends once; what comes later is ignored.
 *
 * <p>What the fast store says must not outlive what the judge says. Both expire by their own clocks, so only durations count:
 * the claim is asked for with no retention, so the store refuses to settle it once its lease is over; the lease was renewed
 * for the last time before {@code stoppedAt}; so the settling takes effect before {@code stoppedAt + lease}. The judge's
 * record lasts at least until {@code writtenAt + retention}. A settled claim that lasts for {@code retention - (stoppedAt -
 * writtenAt) - lease} is gone before. If a renewal has not been answered, nobody knows when it takes effect: then the claim is
 * released.
 */
final class FastClaim implements FastSide {
    private final FastStore fast;
    private final OperationKey key;
    private final KeptLease lease;
    private final Duration length;
    private final Map<RecordId, Thread> inTransactions;
    private final Thread thread = Thread.currentThread();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile long writtenAt;
    private volatile @Nullable Long stoppedAt;

    /**
     * Creates the claim.
     *
     * @param length of the lease
     * @param inTransactions where it is noted which thread's open transaction runs a key, or has run it
     */
    FastClaim(
            FastStore fast, OperationKey key, KeptLease lease, Duration length, Map<RecordId, Thread> inTransactions) {
        this.fast = fast;
        this.key = key;
        this.lease = lease;
        this.length = length;
        this.inTransactions = inTransactions;
    }

    @Override
    public void writing() {
        writtenAt = System.nanoTime();
    }

    @Override
    public void started(RecordTransaction transaction) {
        if (transaction.threadBound()) {
            inTransactions.put(lease.ref().id(), thread);
        }
        lease.keep();
    }

    @Override
    public void ending() {
        if (lease.stop()) {
            stoppedAt = System.nanoTime();
        }
    }

    @Override
    public void committed(Settlement settlement) {
        Long stopped = stoppedAt;
        if (stopped == null) {
            over();
            return;
        }
        Duration kept = settlement.result() == null ? settlement.retention() : settlement.resultRetention();
        Duration gone = Duration.ofNanos(Math.max(0, stopped - writtenAt));
        settle(settlement.state(), settlement.result(), kept.minus(gone));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The claim has not been renewed, so its lease began before the judge was asked. An answer within the caller's
     * transaction may be one that is not committed.
     */
    @Override
    public void answered(RecordTransaction transaction, ClaimAnswer answer) {
        if (transaction.joined()) {
            over();
        } else if (answer instanceof ClaimAnswer.Replay replay) {
            settle(replay.state(), replay.result(), replay.remaining());
        } else if (answer instanceof ClaimAnswer.NoResult none) {
            settle(none.state(), null, none.remaining());
        } else {
            over();
        }
    }

    @Override
    public void left(RecordTransaction transaction, Settlement settlement) {
        boolean told = transaction instanceof ObservedTransaction observed
                && observed.whenEnded(end -> ended(end, settlement));
        if (!told) {
            // The judge keeps twins off as long as its row is locked, and answers them afterwards.
            over();
        }
    }

    private void ended(End end, Settlement settlement) {
        if (end == End.COMMITTED) {
            committed(settlement);
        } else if (end == End.ROLLED_BACK) {
            over();
        } else {
            unknown();
        }
    }

    /** Its thread is a twin like any other from now on. */
    @Override
    public void parted() {
        inTransactions.remove(lease.ref().id(), thread);
    }

    @Override
    public void over() {
        if (end()) {
            fast.release(key, lease.ref());
        }
    }

    @Override
    public void unknown() {
        var unused = end();
    }

    /** Settles it, if there is still something to settle, so that it is gone when the judge's record is. */
    private void settle(RecordState state, @Nullable Payload result, Duration judgesRemaining) {
        Duration kept = judgesRemaining.minus(length);
        if (!state.settled() || kept.isNegative() || kept.isZero()) {
            over();
        } else if (end()) {
            fast.settle(key, lease.ref(), new Settlement(state, result, kept, kept));
        }
    }

    /** Whether it has not been ended before and is still there, so that it can be settled or released. */
    private boolean end() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        var unused = lease.stop();
        inTransactions.remove(lease.ref().id(), thread);
        return lease.live();
    }
}
