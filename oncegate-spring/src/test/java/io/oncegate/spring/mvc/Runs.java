package io.oncegate.spring.mvc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often each handler ran, and holds one of them back. */
final class Runs {
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile CountDownLatch entered = new CountDownLatch(0);
    volatile CountDownLatch left = new CountDownLatch(0);

    int next(String handler) {
        return counts.computeIfAbsent(handler, h -> new AtomicInteger()).incrementAndGet();
    }

    int of(String handler) {
        return counts.computeIfAbsent(handler, h -> new AtomicInteger()).get();
    }

    void hold() {
        gate = new CountDownLatch(1);
        entered = new CountDownLatch(1);
        left = new CountDownLatch(1);
    }
}
