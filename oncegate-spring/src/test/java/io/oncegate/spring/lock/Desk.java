package io.oncegate.spring.lock;

import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.lock.HeldLock;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A bean whose methods hold locks while the test lets them. */
class Desk {
    record Receipt(String id, int number) {}

    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final AtomicInteger runs = new AtomicInteger();
    private final Map<String, CountDownLatch> begun = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> go = new ConcurrentHashMap<>();

    CountDownLatch begun(String id) {
        return begun.computeIfAbsent(id, unused -> new CountDownLatch(1));
    }

    CountDownLatch go(String id) {
        return go.computeIfAbsent(id, unused -> new CountDownLatch(1));
    }

    private int held(String id) {
        int run = runs.incrementAndGet();
        begun(id).countDown();
        try {
            if (!go(id).await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let it go");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return run;
    }

    @Locked(operation = "desk.refuse", key = "#id")
    public int refuse(String id) {
        return held(id);
    }

    @Locked(operation = "desk.wait", key = "#id", whenHeld = WhenHeld.WAIT, waitUpTo = "60s")
    public int waiting(String id) {
        return held(id);
    }

    @Locked(operation = "desk.wait-short", key = "#id", whenHeld = WhenHeld.WAIT, waitUpTo = "50ms")
    public int waitingShort(String id) {
        return held(id);
    }

    @Locked(operation = "desk.result", key = "#id", whenHeld = WhenHeld.RESULT, waitUpTo = "60s")
    public Receipt result(String id) {
        return new Receipt(id, held(id));
    }

    @Locked(operation = "desk.void", key = "#id", whenHeld = WhenHeld.RESULT, waitUpTo = "60s")
    public void nothing(String id) {
        held(id);
    }

    @OncePerWindow(
            operation = "desk.large",
            key = "#id",
            window = "1h",
            whenHeld = WhenHeld.RESULT,
            maxResultBytes = 10)
    public String large(String id) {
        runs.incrementAndGet();
        return "x".repeat(20);
    }

    @OncePerWindow(operation = "desk.window", key = "#id", window = "1h")
    public int window(String id) {
        return held(id);
    }

    @OncePerWindow(operation = "desk.window-result", key = "#id", window = "1h", whenHeld = WhenHeld.RESULT)
    public Receipt windowResult(String id) {
        return new Receipt(id, runs.incrementAndGet());
    }

    @OncePerWindow(operation = "desk.keep", key = "#id", window = "1h", keepOn = IOException.class)
    public int keep(String id, Supplier<? extends Exception> failure) throws Exception {
        runs.incrementAndGet();
        throw failure.get();
    }

    @Locked(operation = "desk.down", key = "#id", whenStoreDown = WhenStoreDown.RUN_UNPROTECTED)
    public boolean unprotected(String id) {
        return CurrentLock.find().isEmpty();
    }

    @Locked(operation = "desk.lost", key = "#id", renewed = false)
    public String lost(String id, Runnable inside) {
        inside.run();
        return "done";
    }

    @Locked(operation = "desk.lost-fails", key = "#id", failOnLost = true)
    public String lostFails(String id, Runnable inside) {
        inside.run();
        return "done";
    }

    @Locked(operation = "desk.account", key = "#id")
    public long outer(String id, Supplier<Long> inside) {
        long fence = CurrentLock.fence();
        long inner = inside.get();
        if (CurrentLock.fence() != fence) {
            throw new IllegalStateException("the outer lock is not current again");
        }
        return inner;
    }

    @Locked(operation = "desk.account", key = "#id")
    public long inner(String id) {
        return CurrentLock.fence();
    }

    @Locked(operation = "desk.ends", key = "#id")
    public HeldLock ends(String id) {
        HeldLock lock = CurrentLock.get();
        lock.release();
        return lock;
    }

    @Locked(operation = "desk.all", key = "'all'", scope = Locked.GLOBAL)
    public int all(String id) {
        return held(id);
    }

    @Locked(operation = "desk.scoped", key = "#id", scope = "#user")
    public int scoped(String user, String id) {
        return held(user);
    }
}
