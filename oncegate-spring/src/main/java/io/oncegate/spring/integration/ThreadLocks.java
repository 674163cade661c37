package io.oncegate.spring.integration;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What the threads of this process hold. Each entry is read and changed by its own thread alone. Thread-safe. */
final class ThreadLocks {
    private final ConcurrentHashMap<Owner, Held> held = new ConcurrentHashMap<>();

    private record Owner(OperationKey key, Thread thread) {
        static Owner here(OperationKey key) {
            return new Owner(key, Thread.currentThread());
        }
    }

    /** A lock that a thread holds. */
    static final class Held {
        final HeldLock lock;
        final Duration lease;
        private long count = 1;

        Held(HeldLock lock, Duration lease) {
            this.lock = lock;
            this.lease = lease;
        }

        void again() {
            count++;
        }
    }

    /** What this thread holds, or null. */
    @Nullable
    Held here(OperationKey key) {
        return held.get(Owner.here(key));
    }

    void acquired(HeldLock lock, Duration lease) {
        held.put(Owner.here(lock.key()), new Held(lock, lease));
    }

    /** Counts an unlocking; the lock to be ended if it was the last one, which is forgotten then, else null. */
    @Nullable
    HeldLock unlocked(Held mine) {
        if (--mine.count > 0) {
            return null;
        }
        held.remove(Owner.here(mine.lock.key()), mine);
        return mine.lock;
    }

    void forgetDead() {
        held.entrySet()
                .removeIf(entry -> !entry.getKey().thread().isAlive()
                        && !entry.getValue().lock.isHeld());
    }

    int size() {
        return held.size();
    }
}
