package io.oncegate.core.lock;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore.Watch;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who holds and who waits for which lock in this process. It decides nothing about a lock, for only the store does: it
 * saves questions, since of all that wait here only the first in line asks. What is lost or late here costs time, never a
 * lock. Thread-safe; each method is one atomic step on one line.
 */
final class LockLines {
    /** After so long the lock is passed on no more but let go, so that those who wait elsewhere have their turn. */
    private static final long LONGEST_PASSING = Duration.ofMillis(50).toNanos();

    /** When it is let go, the first in line here stands back for a tenth of the time it was passed on, within this. */
    private static final long LONGEST_STANDING_BACK = Duration.ofMillis(20).toNanos();

    private final ConcurrentHashMap<RecordId, Line> lines = new ConcurrentHashMap<>();

    private static final class Line {
        private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
        private volatile @Nullable LeasedLock holder;
        private volatile @Nullable Watch watch;
        private volatile int waiting;
        private boolean passing;
        private long passedSince;
        private boolean letGo;

        /** Makes the first in line know that it is. */
        void callFront() {
            Waiter first = waiters.peekFirst();
            if (first != null) {
                first.promote();
            }
        }

        boolean isIdle() {
            return holder == null && waiters.isEmpty();
        }
    }

    private static final class Box<T> {
        private @Nullable T value;
    }

    /** Goes to the end of the line. */
    void enter(Waiter waiter) {
        lines.compute(waiter.request().id(), (id, found) -> {
            Line line = found == null ? new Line() : found;
            line.waiters.addLast(waiter);
            line.waiting = line.waiters.size();
            if (line.waiters.size() == 1) {
                waiter.promote();
            }
            return line;
        });
    }

    /** Leaves the line, wherever in it; the next one moves up. */
    void leave(Waiter waiter) {
        Box<Watch> ended = new Box<>();
        lines.computeIfPresent(waiter.request().id(), (id, line) -> {
            boolean first = line.waiters.peekFirst() == waiter;
            line.waiters.remove(waiter);
            line.waiting = line.waiters.size();
            if (first) {
                line.callFront();
            }
            if (line.waiters.isEmpty()) {
                ended.value = line.watch;
                line.watch = null;
            }
            return line.isIdle() ? null : line;
        });
        close(ended.value);
    }

    /** Takes note of a holder here. */
    void held(RecordId id, LeasedLock holder, boolean passed) {
        lines.compute(id, (same, found) -> {
            Line line = found == null ? new Line() : found;
            line.holder = holder;
            if (!passed) {
                line.passing = false;
                line.letGo = false;
            }
            return line;
        });
    }

    /** Takes note that this one holds it no more, and calls the first in line. */
    void ended(RecordId id, LeasedLock holder) {
        lines.computeIfPresent(id, (same, line) -> {
            if (line.holder == holder) {
                line.holder = null;
            }
            Waiter first = line.waiters.peekFirst();
            if (line.letGo && first != null) {
                long passing = System.nanoTime() - line.passedSince;
                first.standBack(Math.min(passing / 10, LONGEST_STANDING_BACK));
                line.letGo = false;
            }
            line.callFront();
            return line.isIdle() ? null : line;
        });
    }

    /** The fence of the one here that believes to hold it, or 0. */
    long fenceHeldHere(RecordId id) {
        Line line = lines.get(id);
        LeasedLock holder = line == null ? null : line.holder;
        return holder != null && holder.isHeld() ? holder.fence() : 0;
    }

    /** Whether one here believes to hold it, so that nobody else here need ask. */
    boolean isHeldHere(RecordId id) {
        return fenceHeldHere(id) != 0;
    }

    /** The first in line, if the lock is to be passed on to it; null if it is to be let go. */
    @Nullable
    Waiter nextToPass(RecordId id) {
        Line mine = lines.get(id);
        if (mine == null || mine.waiting == 0) {
            return null; // one who comes now is called when the lock has been ended
        }
        Box<Waiter> next = new Box<>();
        lines.computeIfPresent(id, (same, line) -> {
            if (!line.passing) {
                line.passing = true; // from now on: how long the first one had worked does not count
                line.passedSince = System.nanoTime();
            }
            if (System.nanoTime() - line.passedSince < LONGEST_PASSING) {
                next.value = line.waiters.peekFirst();
            } else {
                line.letGo = true;
            }
            return line;
        });
        return next.value;
    }

    /** Whether the line is being watched. */
    boolean isWatched(RecordId id) {
        Line line = lines.get(id);
        return line != null && line.watch != null;
    }

    /** Keeps the watch for as long as somebody waits. */
    void watched(RecordId id, Watch watch) {
        Box<Watch> surplus = new Box<>();
        surplus.value = watch;
        lines.computeIfPresent(id, (same, line) -> {
            if (line.watch == null && !line.waiters.isEmpty()) {
                line.watch = watch;
                surplus.value = null;
            }
            return line;
        });
        close(surplus.value);
    }

    /** The store says that the lock is free. */
    void signalled(RecordId id) {
        lines.computeIfPresent(id, (same, line) -> {
            line.callFront();
            return line;
        });
    }

    /** Calls all who wait. */
    void callAll() {
        lines.keySet()
                .forEach(each -> lines.computeIfPresent(each, (id, line) -> {
                    line.waiters.forEach(Waiter::call);
                    return line;
                }));
    }

    private static void close(@Nullable Watch watch) {
        if (watch != null) {
            watch.close();
        }
    }
}
