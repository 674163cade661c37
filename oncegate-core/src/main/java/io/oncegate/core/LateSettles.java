package io.oncegate.core;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Goes on sending outcomes that the store did not take in time, although the caller has been told so: if the store comes
 * back before the lease has run out, no second run is needed. The claim's lease is renewed meanwhile. Bounded in number and
 * by the claim's own lease after the last renewal; what is dropped here costs a second run at most, as a crash would.
 */
final class LateSettles {
    private static final int MAX_PENDING = 1000;
    private static final long EVERY = Duration.ofMillis(500).toNanos();

    private final Semaphore places = new Semaphore(MAX_PENDING);
    private final RecordStore store;
    private final Threads threads;

    LateSettles(RecordStore store, Threads threads) {
        this.store = store;
        this.threads = threads;
    }

    void add(HeldClaim<?> claim, Settlement settlement) {
        if (!places.tryAcquire()) {
            claim.stopKeeping();
            return;
        }
        schedule(
                claim,
                settlement,
                System.nanoTime() + claim.request().retention().toNanos());
    }

    private void schedule(HeldClaim<?> claim, Settlement settlement, long until) {
        try {
            var ignored = threads.keep(() -> send(claim, settlement, until), EVERY);
        } catch (RejectedExecutionException e) {
            end(claim); // closed meanwhile
        }
    }

    private void send(HeldClaim<?> claim, Settlement settlement, long until) {
        try {
            var ignored = store.settle(claim.ref(), settlement);
            end(claim);
        } catch (StoreUnavailableException e) {
            if (System.nanoTime() - until < 0) {
                schedule(claim, settlement, until);
            } else {
                end(claim);
            }
        }
    }

    private void end(HeldClaim<?> claim) {
        claim.stopKeeping();
        places.release();
    }
}
