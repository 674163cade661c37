package io.oncegate.spring.gate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often each handler ran, and holds one of them back. */
public final class Runs {
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    public volatile CountDownLatch gate = new CountDownLatch(0);
    public volatile CountDownLatch entered = new CountDownLatch(0);
    public volatile CountDownLatch left = new CountDownLatch(0);

    public int next(String handler) {
        return counts.computeIfAbsent(handler, h -> new AtomicInteger()).incrementAndGet();
    }

    public int of(String handler) {
        return counts.computeIfAbsent(handler, h -> new AtomicInteger()).get();
    }

    public void hold() {
        gate = new CountDownLatch(1);
        entered = new CountDownLatch(1);
        left = new CountDownLatch(1);
    }

    /** What a handler does that is held back: it counts itself, says that it has begun, and waits. */
    public String held() {
        int run = next("held");
        entered.countDown();
        try {
            if (!gate.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody has let the handler go on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        left.countDown();
        return "held " + run;
    }
}
