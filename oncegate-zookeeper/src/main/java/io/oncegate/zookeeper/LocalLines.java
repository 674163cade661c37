package io.oncegate.zookeeper;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Those of this process who wait for the same lock stand in line, and only the first of them has a node in the queue: the
 * queue is as long as there are processes. Thread-safe.
 */
final class LocalLines {
    private static final int ALL = 1 << 20;

    private final Map<RecordId, Line> lines = new ConcurrentHashMap<>();

    private static final class Line {
        final Semaphore front = new Semaphore(1, true);
        int users;
    }

    /** Waits to be the first in line; false if the time was over. */
    boolean enter(OperationKey key, long nanos) throws InterruptedException {
        Line line = lines.compute(key.id(), (id, present) -> {
            Line used = present == null ? new Line() : present;
            used.users++;
            return used;
        });
        boolean front = false;
        try {
            front = line.front.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        } finally {
            if (!front) {
                leaveLine(key);
            }
        }
        return front;
    }

    /** Leaves the front to the next. */
    void leave(OperationKey key) {
        Line line = lines.get(key.id());
        if (line != null) {
            line.front.release();
        }
        leaveLine(key);
    }

    private void leaveLine(OperationKey key) {
        lines.computeIfPresent(key.id(), (id, line) -> --line.users == 0 ? null : line);
    }

    /** Calls everybody to the front. */
    void callAll() {
        lines.values().forEach(line -> line.front.release(ALL));
    }
}
