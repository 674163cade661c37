package io.oncegate.spring.client;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is meant to happen once, however often it is tried: the keys of its requests are kept over its attempts. Begin it
 * outside the retry, and mark each attempt inside it:
 *
 * <pre>{@code
 * LogicalCall call = LogicalCall.begin();
 * Order order = retry.execute(() -> call.attempt(() -> shop.order(tickets)));
 * }</pre>
 *
 * <p>In every attempt the n-th request of the same method and URI has the same key. What does not fit is refused with an
 * {@link AmbiguousCallException} and not sent: a request whose body differs from the one that had this key, and a second
 * request of the same method and URI while the first is in flight, for then nobody could tell which is which.
 *
 * <p>A call that is begun within an attempt of another belongs to it: it is found again in the outer call's next attempt.
 * An attempt is bound to the thread that runs it while it runs, and to nothing else; for Reactor see {@link
 * ReactiveCalls}. Thread-safe. Keep it no longer than the call.
 */
public final class LogicalCall {
    /**
     * One attempt's work.
     *
     * @param <T> what it returns
     * @param <E> what it throws
     */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, E extends Throwable> {
        /** Does the work. */
        T run() throws E;
    }

    record Slot(String method, URI uri, int number) {}

    private final Map<Slot, SlotKey> keys = new ConcurrentHashMap<>();
    private final Map<Integer, LogicalCall> inner = new ConcurrentHashMap<>();

    private LogicalCall() {}

    /** A new call; within an attempt, the next call of that attempt. */
    public static LogicalCall begin() {
        return begin(Attempt.current());
    }

    static LogicalCall begin(@Nullable Attempt within) {
        return within == null ? new LogicalCall() : within.nextCall();
    }

    /**
     * Runs one attempt on this thread, and returns or throws what the work does. For work that goes on asynchronously the
     * attempt ends when the work returns; the requests it has sent by then keep their keys.
     */
    public <T extends @Nullable Object, E extends Throwable> T attempt(Work<T, E> work) throws E {
        return new Attempt(this).run(work);
    }

    SlotKey key(Slot slot, byte @Nullable [] body) {
        return keys.computeIfAbsent(slot, absent -> SlotKey.fresh(body));
    }

    LogicalCall inner(int number) {
        return inner.computeIfAbsent(number, absent -> new LogicalCall());
    }
}
