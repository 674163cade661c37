package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fast store of a ladder, which may be down: then there is no answer, never an exception. After a failure it is left
 * alone for a while; then one caller tries it while the others still go on without it, so that a dead store costs one call's
 * timeout now and then. Thread-safe.
 */
final class FastStore {
    /** How long it is left alone after a failure. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    private static final long UP = 0;

    private final RecordStore store;
    private final Events events;
    private final AtomicLong triedAgainAt = new AtomicLong(UP);

    FastStore(RecordStore store, Events events) {
        this.store = store;
        this.events = events;
    }

    RecordStore store() {
        return store;
    }

    /** The store's answer to a claim, or null without one. */
    AbstractOncegate.@Nullable Asked claim(OperationKey key, ClaimRequest request) {
        AbstractOncegate.Asked asked = tried(key, () -> AbstractOncegate.ask(request, store::claim));
        if (asked == null) {
            events.tell(Kind.FAST_STORE_DOWN, key);
        }
        return asked;
    }

    /** Settles a claim. What fails leaves it to run out. */
    void settle(OperationKey key, ClaimRef claim, Settlement settlement) {
        var unused = tried(key, () -> store.settle(claim, settlement));
    }

    /** Releases a claim. What fails leaves it to run out. */
    void release(OperationKey key, ClaimRef claim) {
        var unused = tried(key, () -> store.release(claim));
    }

    private <A> @Nullable A tried(OperationKey key, Supplier<A> call) {
        long at = triedAgainAt.get();
        if (at != UP && (System.nanoTime() - at < 0 || !triedAgainAt.compareAndSet(at, later()))) {
            return null;
        }
        try {
            A answer = at == UP ? twice(call) : call.get();
            if (at != UP) {
                triedAgainAt.set(UP);
            }
            return answer;
        } catch (RuntimeException e) {
            // The judge has decided or will: whatever goes wrong here must not undo that.
            if (!Thread.currentThread().isInterrupted() && triedAgainAt.getAndSet(later()) == UP) {
                events.warn(key, "the fast store does not answer and is left alone for " + PAUSE, e);
            }
            return null;
        }
    }

    /** A lost reply is common enough to ask once more: the attempt finds its own claim, and an ending is done once. */
    private <A> A twice(Supplier<A> call) {
        try {
            return call.get();
        } catch (StoreUnavailableException e) {
            if (Thread.currentThread().isInterrupted() || triedAgainAt.get() != UP) {
                throw e;
            }
            return call.get();
        }
    }

    private static long later() {
        long at = System.nanoTime() + PAUSE.toNanos();
        return at == UP ? 1 : at;
    }
}
