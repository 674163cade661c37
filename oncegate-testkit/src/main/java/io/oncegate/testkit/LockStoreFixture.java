package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore;

/** What the subclass of a {@link LockStoreContract} supplies. */
abstract class LockStoreFixture {
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

    final LockStore handle(int number) {
        return number % 2 == 0 ? store() : twin();
    }
}
