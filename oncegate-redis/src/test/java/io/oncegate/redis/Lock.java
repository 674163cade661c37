package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A lock that a test asks for: a key, and a lease and a window for those who acquire it at a store. */
record Lock(OperationKey key, Duration lease, @Nullable Duration window) {
    private static final LockFormat FORMAT = new LockFormat(RedisOptions.DEFAULT_PREFIX);
    static final String OPERATION = "seat.reserve";
    /** Longer than any test. */
    static final Duration LEASE = Duration.ofMinutes(10);

    static Lock fresh() {
        return of(UUID.randomUUID().toString());
    }

    static Lock of(String value) {
        return new Lock(OperationKey.of(OPERATION, Scope.of("tenant"), value), LEASE, null);
    }

    Lock lease(Duration other) {
        return new Lock(key, other, window);
    }

    Lock window(Duration other) {
        return new Lock(key, lease, other);
    }

    RecordId id() {
        return key.id();
    }

    /** Its name in Redis. */
    byte[] name() {
        return FORMAT.lockKey(id());
    }

    LockRequest request() {
        return LockRequest.of(id(), OPERATION, lease, window);
    }

    LockAnswer askedAt(LockStore store) {
        return store.acquire(request());
    }

    boolean isFreeAt(LockStore store) {
        return askedAt(store) instanceof LockAnswer.Granted;
    }

    ClaimRef grantedAt(LockStore store) {
        LockRequest request = request();
        return ref(request, store.acquire(request));
    }

    ClaimRef ref(LockRequest request, LockAnswer answer) {
        assertThat(answer).isInstanceOf(LockAnswer.Granted.class);
        return new ClaimRef(id(), ((LockAnswer.Granted) answer).fence(), request.attempt());
    }

    static HeldLock held(Acquisition<HeldLock> acquisition) {
        assertThat(acquisition).isInstanceOf(Acquisition.Acquired.class);
        return ((Acquisition.Acquired<HeldLock>) acquisition).lock();
    }
}
