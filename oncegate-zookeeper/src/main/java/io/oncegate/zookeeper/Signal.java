package io.oncegate.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Wakes one waiting thread: when it is fired, when the connection's state changes, and when the locks are closed. Thread-safe. */
final class Signal {
    private final Session session;
    private volatile CompletableFuture<Boolean> next = new CompletableFuture<>();

    Signal(Session session) {
        this.session = session;
    }

    /** Forgets what has been fired; before the look that the waiter goes by. */
    void reset() {
        next = new CompletableFuture<>();
    }

    /** Something has happened. */
    void fire() {
        next.complete(true);
    }

    /**
     * Waits until something has happened since the last {@link #reset}.
     *
     * @param until when to stop, by the monotonic clock
     * @return false if it was time
     */
    boolean await(long until) throws InterruptedException {
        CompletableFuture<Boolean> signal = next;
        session.wake(signal);
        try {
            return signal.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a signal has no failures", e);
        } finally {
            session.forget(signal);
        }
    }
}
