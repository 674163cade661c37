package io.oncegate.spring.annotation;

import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.internal.Body;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys that this thread's calls hold, so that a call never waits for itself. */
final class HeldKeys {
    private static final ThreadLocal<Set<OperationKey>> HELD = new ThreadLocal<>();

    private HeldKeys() {}

    /** Refuses a key that this thread holds. */
    static void refuseOwn(OperationKey key) {
        Set<OperationKey> held = HELD.get();
        if (held != null && held.contains(key)) {
            throw new RecursiveCallException(key);
        }
    }

    static void add(OperationKey key) {
        Set<OperationKey> held = HELD.get();
        if (held == null) {
            held = new HashSet<>(4);
            HELD.set(held);
        }
        held.add(key);
    }

    static void remove(OperationKey key) {
        Set<OperationKey> held = HELD.get();
        if (held != null) {
            held.remove(key);
            if (held.isEmpty()) {
                HELD.remove();
            }
        }
    }

    /** Runs it while the key counts as held by this thread. */
    static <R> @Nullable R with(OperationKey key, Body<R> body) throws Throwable {
        add(key);
        try {
            return body.run();
        } finally {
            remove(key);
        }
    }
}
