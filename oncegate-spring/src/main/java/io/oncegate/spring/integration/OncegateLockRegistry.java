package io.oncegate.spring.integration;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.spring.internal.KeyText;
import io.oncegate.spring.internal.UnusableException;
import java.time.Duration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry of Spring Integration on {@link Locks}: a drop-in for its registries on Redis, JDBC and ZooKeeper.
 * Thread-safe.
 *
 * <ul>
 *   <li>Only equal keys exclude each other: a key is its class and its content, never a hash of it.
 *   <li>A lock is re-entrant for the thread that holds it, and only that thread may unlock it. In the store its owner is the
 *       acquisition: two threads of one process meet there as two processes do, and nothing stands before the store.
 *   <li>An unlock of what was lost throws {@link java.util.ConcurrentModificationException}, after all local state is free.
 *   <li>Locks are views without a state; only what is held takes memory. There is no cache, and nothing to evict.
 *   <li>A store that does not answer is {@link io.oncegate.core.error.StoreUnavailableException}, never a lock.
 *   <li>Conditions are not supported.
 * </ul>
 */
public final class OncegateLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {
    private final Locks locks;
    private final String operation;
    private final Scope scope;
    private final LockOptions options;
    private final ThreadLocks held = new ThreadLocks();

    /**
     * A registry whose locks are renewed until they are unlocked.
     *
     * @param operation names the registry in the store: registries of one name share their locks
     */
    public OncegateLockRegistry(Locks locks, String operation) {
        this(locks, operation, Scope.global(), LockOptions.untilDone());
    }

    /**
     * A registry.
     *
     * @param operation names the registry in the store: registries of one name and scope share their locks
     * @param scope whose keys these are
     * @param options a hold until done that takes no result
     * @throws InvalidKeyException if the name cannot be used
     * @throws IllegalArgumentException if the options are others
     */
    public OncegateLockRegistry(Locks locks, String operation, Scope scope, LockOptions options) {
        if (options.window() != null || options.takesResult()) {
            throw new IllegalArgumentException(
                    "a lock registry has no windows and no results; give LockOptions.untilDone()");
        }
        this.locks = locks;
        this.operation = OperationKey.requireOperationName(operation);
        this.scope = scope;
        this.options = options;
    }

    /**
     * The lock of this key.
     *
     * @param lockKey a text, a number, or another value that has a text by its content
     * @throws IllegalArgumentException if the key has none
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return lock(lockKey);
    }

    private RegistryLock lock(Object lockKey) {
        return new RegistryLock(locks, OperationKey.of(operation, scope, text(lockKey)), options, held);
    }

    /** Keys that are not equal have other texts: the class is part of it, also so that a blank text is a key. */
    private static String text(Object lockKey) {
        if (lockKey instanceof String text) {
            return "text:" + text;
        }
        try {
            return lockKey.getClass().getName() + ":" + KeyText.of(lockKey);
        } catch (UnusableException e) {
            throw new IllegalArgumentException("the lock key " + e.getMessage() + "; give a text", e);
        }
    }

    /**
     * Renews the lock that this thread holds, for as long as its lease is.
     *
     * @throws IllegalStateException if this thread does not hold it, or has lost it
     */
    @Override
    public void renewLock(Object lockKey) {
        lock(lockKey).renew(null);
    }

    /**
     * The same.
     *
     * @param ttl not longer than the lease with which it was acquired
     * @throws IllegalArgumentException if it is longer: let the registry's options have that lease
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    /** Forgets what threads held that have ended without unlocking it, once it is lost; of other locks there is no memory. */
    @Override
    public void expireUnusedOlderThan(long age) {
        held.forgetDead();
    }

    /** How many locks the threads of this process hold. */
    int held() {
        return held.size();
    }
}
