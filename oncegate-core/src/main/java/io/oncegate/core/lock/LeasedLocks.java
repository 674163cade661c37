package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition.Acquired;
import io.oncegate.core.lock.Acquisition.Answered;
import io.oncegate.core.lock.Acquisition.Refused;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a store with leases. Thread-safe.
 *
 * <ol>
 *   <li>An acquisition makes a random attempt id, and asks the store by it. A question that has no answer may have been granted:
 *       it is asked again by the same attempt, and what is given up is ended in the background; what that cannot reach ends
 *       with its lease.
 *   <li>Those who wait for one lock in this process stand in line, and only the first of them asks. It is called when the
 *       store signals that the lock is free, and asks from time to time in any case: when the holder's lease is over, and
 *       each second; where the store has no signals, with growing pauses up to a quarter of one.
 *   <li>A holder that ends while others stand in line behind it passes the lock on to the first of them: one step in the
 *       store, one round trip. After 50 ms of passing on it is let go, and the first in line stands back a little, for those who wait
 *       in other processes.
 *   <li>The lease is renewed in the background. A holder whose lease runs out is told.
 * </ol>
 */
public final class LeasedLocks implements Locks {
    /** How long a result is kept for those who were waiting for it, where no window is open for longer. */
    private static final Duration RESULT_RETENTION = Duration.ofSeconds(10);

    private static final LockEnd COMPLETED = new LockEnd(true, null, RESULT_RETENTION);

    private final LockStore store;
    private final LockEvents events;
    private final LockThreads threads = new LockThreads();
    private final LockLines lines = new LockLines();
    private final LateEnds late;
    private volatile boolean closed;

    private LeasedLocks(Builder builder) {
        this.store = builder.store;
        this.events = new LockEvents(builder.listeners, builder.store.name());
        this.late = new LateEnds(store, threads);
    }

    /** Locks in this store, which the caller owns. */
    public static LeasedLocks of(LockStore store) {
        return builder(store).build();
    }

    /** Begins locks in this store, which the caller owns. */
    public static Builder builder(LockStore store) {
        return new Builder(store);
    }

    LockStore store() {
        return store;
    }

    LockEvents events() {
        return events;
    }

    LockThreads threads() {
        return threads;
    }

    LockLines lines() {
        return lines;
    }

    static LockEnd completed(@Nullable Payload result) {
        return result == null ? COMPLETED : new LockEnd(true, result, RESULT_RETENTION);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
        requireOpen();
        LockRequest request = request(key, options);
        long sent = System.nanoTime();
        LockAnswer answer;
        try {
            answer = store.acquire(request);
        } catch (StoreUnavailableException e) {
            late.giveUp(request);
            events.tell(Kind.STORE_DOWN, key);
            throw e;
        }
        if (answer instanceof LockAnswer.Granted granted) {
            return acquired(key, options, request, granted.fence(), sent, false);
        } else if (answer instanceof LockAnswer.Result result) {
            events.tell(Kind.ANSWERED, key);
            return new Answered<>(key, result.result());
        }
        return refused(key, ((LockAnswer.Held) answer).left());
    }

    @Override
    public Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait)
            throws InterruptedException {
        requireOpen();
        HeldLocks.requireWait(wait);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before it was asked for lock " + key);
        }
        return new Waiting(this, key, options, request(key, options), wait).await();
    }

    private static LockRequest request(OperationKey key, LockOptions options) {
        return new LockRequest(
                key.id(),
                key.operation(),
                AttemptId.random(),
                options.lease(),
                options.window(),
                false,
                options.takesResult(),
                0);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("these locks have been closed; make new ones");
        }
    }

    boolean isClosed() {
        return closed;
    }

    Acquisition<HeldLock> acquired(
            OperationKey key, LockOptions options, LockRequest request, long fence, long sentNanos, boolean passed) {
        ClaimRef ref = new ClaimRef(request.id(), fence, request.attempt());
        LeasedLock lock = new LeasedLock(this, key, ref, options, sentNanos);
        lines.held(request.id(), lock, passed);
        lock.keep();
        events.tell(Kind.ACQUIRED, key);
        return new Acquired<>(lock);
    }

    Acquisition<HeldLock> refused(OperationKey key, Duration left) {
        events.tell(Kind.REFUSED, key);
        return new Refused<>(key, left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left);
    }

    /** An attempt that had no answer, and is wanted no more. */
    void giveUp(LockRequest request) {
        late.giveUp(request);
    }

    /** Ends what was granted and is wanted no more. */
    void endLater(ClaimRef ref, long leaseEndNanos) {
        late.end(ref, LockEnd.released(), leaseEndNanos);
    }

    /** Ends a hold, also on a thread that is to stop: the lock must not outlive it. */
    LockRelease end(LeasedLock lock, ClaimRef ref, LockEnd how, boolean passable) {
        boolean interrupted = Thread.interrupted();
        try {
            Waiter next = passable && how.result() == null && lock.isHeldButEnded() ? lines.nextToPass(ref.id()) : null;
            return next == null || next.granted() != null ? end(ref, how) : pass(ref, how, next);
        } catch (StoreUnavailableException e) {
            late.end(ref, how, lock.leaseEnd());
            events.warn(
                    Kind.RELEASE_UNKNOWN,
                    lock.key(),
                    "could not be ended, and is free with its lease at the latest: " + e.getMessage());
            return LockRelease.UNKNOWN;
        } finally {
            lines.ended(ref.id(), lock);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private LockRelease end(ClaimRef ref, LockEnd how) {
        return store.end(ref, how) == HolderAnswer.DONE ? LockRelease.DONE : LockRelease.LOST;
    }

    private LockRelease pass(ClaimRef ref, LockEnd how, Waiter next) {
        LockRequest request = next.request();
        long sent = System.nanoTime();
        OptionalLong fence;
        try {
            fence = store.pass(ref, request);
        } catch (StoreUnavailableException e) {
            next.becomeUnsure();
            if (next.hasLeft()) {
                late.giveUp(request);
            }
            throw e;
        }
        if (fence.isEmpty()) {
            return end(ref, how);
        }
        if (!next.grant(fence.getAsLong(), sent, true)) {
            // it has left meanwhile
            late.end(
                    new ClaimRef(request.id(), fence.getAsLong(), request.attempt()),
                    LockEnd.released(),
                    sent + request.lease().toNanos());
        }
        return LockRelease.DONE;
    }

    @Override
    public void close() {
        closed = true;
        lines.callAll();
        threads.close();
    }

    /** Collects the settings of locks. Not thread-safe. */
    public static final class Builder {
        private final LockStore store;
        private final List<LockListener> listeners = new ArrayList<>();

        private Builder(LockStore store) {
            this.store = store;
        }

        /** Has this told what happens. Several may be given. */
        public Builder listener(LockListener listener) {
            listeners.add(listener);
            return this;
        }

        /** The locks. The store is not asked for anything yet. */
        public LeasedLocks build() {
            return new LeasedLocks(this);
        }
    }
}
