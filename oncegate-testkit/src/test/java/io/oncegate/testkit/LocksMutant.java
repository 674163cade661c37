package io.oncegate.testkit;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Locks that pass everything on: right ones, of which broken ones override something. */
class LocksMutant implements Locks {
    final Locks right;

    LocksMutant(Locks right) {
        this.right = right;
    }

    /** The options as they are passed on. */
    LockOptions options(LockOptions options) {
        return options;
    }

    /** The handle as it is given. */
    HeldLock held(HeldLock held) {
        return held;
    }

    final Acquisition<HeldLock> given(Acquisition<HeldLock> acquisition) {
        return acquisition instanceof Acquisition.Acquired<HeldLock> acquired
                ? new Acquisition.Acquired<>(held(acquired.lock()))
                : acquisition;
    }

    @Override
    public String name() {
        return right.name();
    }

    @Override
    public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
        return given(right.tryAcquire(key, options(options)));
    }

    @Override
    public Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait)
            throws InterruptedException {
        return given(right.acquire(key, options(options), wait));
    }

    @Override
    public void close() {
        right.close();
    }

    /** A handle that passes everything on. */
    static class Held implements HeldLock {
        final HeldLock right;

        Held(HeldLock right) {
            this.right = right;
        }

        @Override
        public OperationKey key() {
            return right.key();
        }

        @Override
        public long fence() {
            return right.fence();
        }

        @Override
        public boolean isHeld() {
            return right.isHeld();
        }

        @Override
        public Duration remaining() {
            return right.remaining();
        }

        @Override
        public boolean renew() {
            return right.renew();
        }

        @Override
        public LockRelease release() {
            return right.release();
        }

        @Override
        public LockRelease complete(@Nullable Payload result) {
            return right.complete(result);
        }

        @Override
        public void onLost(Runnable callback) {
            right.onLost(callback);
        }
    }
}
