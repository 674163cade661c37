package io.oncegate.shop.gate;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A store that is left alone for a while once it has failed twice in a row; then one call tries it. The gate in front and the
 * ladder share it: so a request waits for a Redis that does not answer at the first of the two, and not at the second one
 * again. Thread-safe.
 */
final class PausingRecordStore implements RecordStore {
    /** How long it is left alone. */
    static final Duration PAUSE = Duration.ofMillis(500);

    private static final int FAILURES = 2;

    private final RecordStore store;
    private final LongSupplier nanos;
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong triedAgainAt = new AtomicLong();

    PausingRecordStore(RecordStore store, LongSupplier nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        return tried(() -> store.claim(request));
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return tried(() -> store.renew(claim, lease));
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        return tried(() -> store.settle(claim, settlement));
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        return tried(() -> store.release(claim));
    }

    private <A> A tried(Supplier<A> call) {
        if (failures.get() >= FAILURES && !mayTry()) {
            throw new StoreUnavailableException(
                    name(),
                    "did not answer a moment ago and was not asked now; send the request again in a second",
                    null);
        }
        try {
            A answer = call.get();
            failures.set(0);
            return answer;
        } catch (StoreUnavailableException e) {
            if (!Thread.currentThread().isInterrupted()) {
                triedAgainAt.set(later());
                failures.incrementAndGet();
            }
            throw e;
        }
    }

    /** One caller may, and the others only if that one takes long. */
    private boolean mayTry() {
        long at = triedAgainAt.get();
        return nanos.getAsLong() - at >= 0 && triedAgainAt.compareAndSet(at, later());
    }

    private long later() {
        return nanos.getAsLong() + PAUSE.toNanos();
    }
}
