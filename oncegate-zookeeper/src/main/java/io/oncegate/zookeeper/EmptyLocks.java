package io.oncegate.zookeeper;

import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Removes the nodes of locks that nobody uses any more, shortly after their last use by this process: a lock in steady use
 * keeps its node. A node with a queue is not removed, and who finds it gone creates it again. What is missed here, the
 * servers remove, for it is a container. Thread-safe.
 */
final class EmptyLocks {
    private static final long IDLE = Duration.ofMillis(200).toNanos();
    private static final int MAX_PENDING = 100_000;

    private final LockNodes nodes;
    private final Session session;
    private final Threads threads;
    private final Map<String, Long> lastUse = new ConcurrentHashMap<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    EmptyLocks(LockNodes nodes, Session session, Threads threads) {
        this.nodes = nodes;
        this.session = session;
        this.threads = threads;
    }

    /** Notes that this lock may have no queue from now on. */
    void used(String lock) {
        if (lastUse.size() < MAX_PENDING) {
            lastUse.put(lock, System.nanoTime());
            schedule();
        }
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            var unused = threads.later(this::sweep, IDLE);
        }
    }

    private void sweep() {
        scheduled.set(false);
        if (!session.isConnected()) {
            if (session.isOver()) {
                lastUse.clear();
            } else if (!lastUse.isEmpty()) {
                schedule();
            }
            return;
        }
        long now = System.nanoTime();
        for (Iterator<Map.Entry<String, Long>> all = lastUse.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<String, Long> one = all.next();
            if (now - one.getValue() >= IDLE && lastUse.remove(one.getKey(), one.getValue())) {
                nodes.deleteIfEmpty(one.getKey());
            }
        }
        if (!lastUse.isEmpty()) {
            schedule();
        }
    }
}
