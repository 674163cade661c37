package io.oncegate.testkit;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import java.time.Duration;
import java.util.UUID;

/** What the subclass of a {@link LocksContract} supplies, and how the tests ask. */
abstract class LocksFixture {
    /** The lease for which the tests wait. */
    public static final Duration SHORT_LEASE = Duration.ofMillis(500);

    /** A lease that a renewal keeps also on a loaded machine, and through an outage of a third of it. */
    static final Duration RENEWED_LEASE = Duration.ofSeconds(4);

    /** How long the tests wait for what has to come. */
    static Duration limit() {
        return Polling.limit();
    }

    static final LockOptions UNTIL_DONE = LockOptions.untilDone();

    /** The locks. The same object on every call of one test; the contract does not close them. */
    protected abstract Locks locks();

    /**
     * Locks on the same backend as another process would have them: they share neither connection nor waiting line with
     * {@link #locks()}.
     */
    protected abstract Locks twin();

    /** A third process that ends in the test; another one on every call. */
    protected abstract DoomedProcess doomed();

    /** Cuts {@link #locks()} off, and nobody else. */
    protected abstract Outage outage();

    /** How many entries the backend keeps of this key, as seen past the locks. */
    protected abstract long leftOvers(OperationKey key);

    /** What the locks can do; their author has to answer. */
    protected abstract LocksAbilities abilities();

    /** Has the store forget what may go, as its housekeeper would. Does nothing, for backends that do so by themselves. */
    protected void sweep() {}

    final Locks handle(int number) {
        return number % 2 == 0 ? locks() : twin();
    }

    static OperationKey newKey() {
        return OperationKey.of(
                "testkit.locks", Scope.of("contract"), UUID.randomUUID().toString());
    }

    static LockOptions shortLease() {
        return UNTIL_DONE.lease(SHORT_LEASE);
    }

    static HeldLock acquired(Acquisition<HeldLock> acquisition) {
        if (acquisition instanceof Acquisition.Acquired<HeldLock> acquired) {
            return acquired.lock();
        }
        throw new AssertionError("not acquired: " + acquisition);
    }

    static Acquisition.Refused<HeldLock> refused(Acquisition<HeldLock> acquisition) {
        if (acquisition instanceof Acquisition.Refused<HeldLock> refused) {
            return refused;
        }
        throw new AssertionError("not refused: " + acquisition);
    }

    /** Acquires it, and waits for it if need be. */
    static HeldLock acquiredBy(Locks locks, OperationKey key, LockOptions options) {
        try {
            return acquired(locks.acquire(key, options, limit()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a lock", e);
        }
    }
}
