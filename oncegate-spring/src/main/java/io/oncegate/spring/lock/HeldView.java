package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A lock as the method that runs under it sees it: it cannot be ended, for that is the annotation's. */
record HeldView(HeldLock lock) implements HeldLock {
    @Override
    public OperationKey key() {
        return lock.key();
    }

    @Override
    public long fence() {
        return lock.fence();
    }

    @Override
    public boolean isHeld() {
        return lock.isHeld();
    }

    @Override
    public Duration remaining() {
        return lock.remaining();
    }

    @Override
    public boolean renew() {
        return lock.renew();
    }

    @Override
    public LockRelease release() {
        throw notYours();
    }

    @Override
    public LockRelease complete(@Nullable Payload result) {
        throw notYours();
    }

    @Override
    public void close() {
        throw notYours();
    }

    @Override
    public void onLost(Runnable callback) {
        lock.onLost(callback);
    }

    private static UnsupportedOperationException notYours() {
        return new UnsupportedOperationException(
                "the lock of an annotated method ends with the method and its transaction; return, or throw");
    }
}
