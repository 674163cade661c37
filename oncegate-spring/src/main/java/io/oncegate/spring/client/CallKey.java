package io.oncegate.spring.client;

import java.util.concurrent.atomic.AtomicBoolean;

/** The key of one request that is under way. Closed when the request has ended. Thread-safe. */
final class CallKey implements AutoCloseable {
    private final String value;
    private final Runnable end;
    private final AtomicBoolean closed = new AtomicBoolean();

    CallKey(String value, Runnable end) {
        this.value = value;
        this.end = end;
    }

    static CallKey of(String value) {
        return new CallKey(value, () -> {});
    }

    String value() {
        return value;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            end.run();
        }
    }
}
