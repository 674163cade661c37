package io.oncegate.spring.client;

import io.oncegate.spring.client.LogicalCall.Slot;
import io.oncegate.spring.client.LogicalCall.Work;
import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a logical call: counts its requests, so that the n-th of a method and URI finds its key. An attempt that
 * was given up and still runs elsewhere counts for itself and finds the same keys. Thread-safe.
 */
final class Attempt {
    private static final ThreadLocal<Attempt> CURRENT = new ThreadLocal<>();

    private record Target(String method, URI uri) {}

    private final LogicalCall call;
    private final Map<Target, Integer> sent = new HashMap<>();
    private final Set<Target> inFlight = new HashSet<>();
    private int calls;

    Attempt(LogicalCall call) {
        this.call = call;
    }

    static @Nullable Attempt current() {
        return CURRENT.get();
    }

    <T extends @Nullable Object, E extends Throwable> T run(Work<T, E> work) throws E {
        @Nullable Attempt outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    synchronized LogicalCall nextCall() {
        return call.inner(calls++);
    }

    synchronized CallKey open(String method, URI uri, byte @Nullable [] body) {
        Target target = new Target(method, uri);
        if (inFlight.contains(target)) {
            throw AmbiguousCallException.twoInFlight(method);
        }
        int number = sent.getOrDefault(target, 0);
        SlotKey key = call.key(new Slot(method, uri, number), body);
        if (!key.isFor(body)) {
            throw AmbiguousCallException.otherBody(method);
        }
        sent.put(target, number + 1);
        inFlight.add(target);
        return new CallKey(key.value(), () -> ended(target));
    }

    private synchronized void ended(Target target) {
        inFlight.remove(target);
    }
}
