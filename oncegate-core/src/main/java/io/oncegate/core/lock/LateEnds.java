package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Goes on ending what could not be ended, and what may have been granted to one who has given up, until the lease must be
 * over. Bounded in number; what is dropped here ends with its lease.
 */
final class LateEnds {
    private static final int MAX_PENDING = 1000;
    private static final long EVERY = Duration.ofMillis(250).toNanos();
    private static final Duration BRIEF = Duration.ofSeconds(1);

    private final Semaphore places = new Semaphore(MAX_PENDING);
    private final LockStore store;
    private final LockThreads threads;

    private interface Try {
        void run();
    }

    LateEnds(LockStore store, LockThreads threads) {
        this.store = store;
        this.threads = threads;
    }

    /** Ends this hold. */
    void end(ClaimRef held, LockEnd how, long leaseEndNanos) {
        add(() -> store.end(held, how), leaseEndNanos, 0);
    }

    /**
     * Ends what this attempt may hold: asks again, for only the store knows, and only briefly, so that a question that is
     * granted for the first time now cannot stay.
     */
    void giveUp(LockRequest request) {
        Duration lease = request.lease().compareTo(BRIEF) < 0 ? request.lease() : BRIEF;
        LockRequest again =
                new LockRequest(request.id(), request.operation(), request.attempt(), lease, null, false, false, 0);
        add(
                () -> {
                    if (store.acquire(again) instanceof LockAnswer.Granted granted) {
                        var unused = store.end(
                                new ClaimRef(again.id(), granted.fence(), again.attempt()), LockEnd.released());
                    }
                },
                System.nanoTime() + request.lease().toNanos() + BRIEF.toNanos(),
                EVERY);
    }

    private void add(Try once, long untilNanos, long firstAfter) {
        if (places.tryAcquire()) {
            schedule(once, untilNanos, firstAfter);
        }
    }

    private void schedule(Try once, long untilNanos, long after) {
        if (threads.later(() -> threads.ask(() -> send(once, untilNanos)), after) == null) {
            places.release();
        }
    }

    private void send(Try once, long untilNanos) {
        try {
            once.run();
        } catch (StoreUnavailableException e) {
            if (System.nanoTime() - untilNanos < 0) {
                schedule(once, untilNanos, EVERY);
                return;
            }
        } catch (RuntimeException e) {
            // a store that breaks its promise; the lease ends what is left
        }
        places.release();
    }
}
