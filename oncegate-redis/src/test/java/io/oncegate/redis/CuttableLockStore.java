package io.oncegate.redis;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testkit.Outage;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that can be cut off where no proxy fits in between, because Redis itself tells clients where its nodes are. Of the
 * calls that are cut off each second one has reached Redis.
 */
final class CuttableLockStore implements LockStore, Outage {
    private final LockStore store;
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean cut;

    CuttableLockStore(LockStore store) {
        this.store = store;
    }

    @Override
    public void begin() {
        cut = true;
    }

    @Override
    public void end() {
        cut = false;
    }

    private <T> T call(Supplier<T> call) {
        if (!cut) {
            return call.get();
        }
        if (unanswered.getAndIncrement() % 2 == 0) {
            var unused = call.get();
        }
        throw new StoreUnavailableException(name(), "cut off by the test", null);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public LockAnswer acquire(LockRequest request) {
        return call(() -> store.acquire(request));
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        return call(() -> store.renew(held, lease));
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd end) {
        return call(() -> store.end(held, end));
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        return call(() -> store.pass(held, next));
    }

    @Override
    public @Nullable Watch watch(RecordId id, Runnable wake) {
        return cut
                ? null
                : store.watch(id, () -> {
                    if (!cut) {
                        wake.run();
                    }
                });
    }
}
