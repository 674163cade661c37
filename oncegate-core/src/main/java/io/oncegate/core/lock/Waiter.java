package io.oncegate.core.lock;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One who stands in line for a lock. Its state goes once from waiting to what became of it: whoever brings a grant, its own
 * question or a holder who passes the lock on, and its own leaving decide by that step who has to end what was granted.
 */
final class Waiter {
    /** What became of it. */
    private record End(@Nullable Grant grant) {}

    /**
     * A grant.
     *
     * @param sentNanos when the request for it was sent
     * @param passed whether a holder here has passed it on
     */
    record Grant(long fence, long sentNanos, boolean passed) {}

    private static final End LEFT = new End(null);

    private final Thread thread = Thread.currentThread();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();
    private volatile LockRequest request;
    private volatile boolean front;
    private volatile boolean called;
    private volatile boolean unsure;
    private volatile long notBefore = System.nanoTime();

    Waiter(LockRequest request) {
        this.request = request;
    }

    LockRequest request() {
        return request;
    }

    /** Takes note of the first run that was met: its result is the one that is waited for, or a later one's. */
    void met(long fence) {
        if (request.metFence() == 0) {
            request = request.met(fence);
        }
    }

    /** Says that it is the first in line. */
    void promote() {
        front = true;
        call();
    }

    boolean isFront() {
        return front;
    }

    /** Has it ask no earlier than after this time, so that others come first. */
    void standBack(long nanos) {
        notBefore = System.nanoTime() + nanos;
    }

    /** How long it has to stand back still, in nanoseconds; negative if not. */
    long standsBackFor() {
        return notBefore - System.nanoTime();
    }

    /** Says that it is worth to look again. */
    void call() {
        called = true;
        LockSupport.unpark(thread);
    }

    /** Whether it was called since it was asked last. */
    boolean wasCalled() {
        boolean was = called;
        called = false;
        return was;
    }

    /** A request of its attempt had no answer: it may have been granted. */
    void becomeUnsure() {
        unsure = true;
    }

    boolean isUnsure() {
        return unsure;
    }

    /**
     * Brings a grant.
     *
     * @return whether it is taken, by this call or because the same was brought before; if not it has to be ended
     */
    boolean grant(long fence, long sentNanos, boolean passed) {
        boolean taken = end.compareAndSet(null, new End(new Grant(fence, sentNanos, passed))) || granted() != null;
        LockSupport.unpark(thread);
        return taken;
    }

    /** The grant that it has, or null. */
    @Nullable
    Grant granted() {
        End now = end.get();
        return now == null ? null : now.grant();
    }

    /** Leaves, unless it has a grant. */
    boolean leave() {
        return end.compareAndSet(null, LEFT);
    }

    boolean hasLeft() {
        return end.get() == LEFT;
    }
}
