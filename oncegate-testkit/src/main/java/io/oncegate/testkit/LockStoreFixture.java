package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore;
import java.time.Duration;
import java.util.function.Supplier;

/** What the subclass of a {@link LockStoreContract} supplies. */
abstract class LockStoreFixture {
    private static final int MOST_TRIES = 10;

    /** The store. The same object, or an equal one, on every call of one test. */
    protected abstract LockStore store();

    /**
     * A second handle on the same backend, as another process would have it: it shares neither connection nor cache with
     * {@link #store()}.
     */
    protected abstract LockStore twin();

    /** The backend itself. */
    protected abstract StoreBackend backend();

    /** Whether the backend keeps anything of this lock, as seen past the store. */
    protected abstract boolean kept(RecordId id);

    /** What the store can do; a new store has to answer. */
    protected abstract LockStoreAbilities abilities();

    /** Has the store forget what may go, as its housekeeper would. Does nothing, for backends that do so by themselves. */
    protected void sweep() {}

    /**
     * Plays a scene that has to be over before a lease or a margin is. One that failed after that much of the backend's time
     * proves nothing, and is played again.
     */
    final <T> T before(Duration end, Supplier<T> scene) {
        for (int tries = 1; ; tries++) {
            long begun = backend().storeTimeMicros();
            try {
                return scene.get();
            } catch (AssertionError failed) {
                boolean late = !end.isZero() && backend().storeTimeMicros() - begun >= end.toNanos() / 1_000;
                if (!late || tries == MOST_TRIES) {
                    throw failed;
                }
            }
        }
    }

    final LockStore handle(int number) {
        return number % 2 == 0 ? store() : twin();
    }
}
