package io.oncegate.testkit;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Interferes with stores at labelled points: throws, blocks, or does what the test wants there. A failure at an {@code
 * AFTER_…} point is a lost reply: the store has done what it was asked for, and the caller is told that there is no answer.
 * Thread-safe.
 *
 * <pre>{@code
 * CrashPoints points = new CrashPoints();
 * RecordStore store = points.around(realStore);
 * points.fail(CrashPoint.AFTER_SETTLE);                  // once
 * Blockade blockade = points.block(CrashPoint.BEFORE_SETTLE); // the next one to come waits
 * blockade.awaitArrival();
 * blockade.release();
 * }</pre>
 */
public final class CrashPoints {
    private final Map<CrashPoint, AtomicInteger> passed = new EnumMap<>(CrashPoint.class);
    private final Map<CrashPoint, Armed> armed = new EnumMap<>(CrashPoint.class);

    private record Armed(int times, Runnable action) {}

    /** Points that do nothing yet. */
    public CrashPoints() {
        for (CrashPoint point : CrashPoint.values()) {
            passed.put(point, new AtomicInteger());
        }
    }

    /** The store, with these points around its calls. It has none of the store's further abilities. */
    public RecordStore around(RecordStore store) {
        return new CrashingRecordStore(store, this);
    }

    /** The store, with these points around its transactions' calls. */
    public TransactionalRecordStore around(TransactionalRecordStore store) {
        return new CrashingTransactionalStore(store, this);
    }

    /** Does this where the point is reached next, once. */
    public void at(CrashPoint point, Runnable action) {
        at(point, 1, action);
    }

    /**
     * Does this where the point is reached, as many times, in place of what was wanted there before. The action runs on the
     * caller's thread; what it throws, the caller gets.
     */
    public void at(CrashPoint point, int times, Runnable action) {
        synchronized (armed) {
            armed.put(point, new Armed(times, action));
        }
    }

    /** Throws {@link StoreUnavailableException} where the point is reached next, once. */
    public void fail(CrashPoint point) {
        fail(point, 1);
    }

    /** Throws {@link StoreUnavailableException} where the point is reached, as many times. */
    public void fail(CrashPoint point, int times) {
        at(point, times, () -> {
            throw unavailable(point);
        });
    }

    /** Lets whoever reaches the point next wait there. */
    public Blockade block(CrashPoint point) {
        Blockade blockade = new Blockade(point);
        at(point, blockade::arrive);
        return blockade;
    }

    /** Interferes no more, at any point; does not release who waits at one. */
    public void clear() {
        synchronized (armed) {
            armed.clear();
        }
    }

    /** How often the point has been reached. */
    public int passed(CrashPoint point) {
        return count(point).get();
    }

    void reach(CrashPoint point) {
        count(point).incrementAndGet();
        Runnable action = take(point);
        if (action != null) {
            action.run();
        }
    }

    /** Fails at the point whatever is wanted there. */
    void refuse(CrashPoint point) {
        count(point).incrementAndGet();
        throw unavailable(point);
    }

    private static StoreUnavailableException unavailable(CrashPoint point) {
        return new StoreUnavailableException("crash-points", "a test wants no answer at " + point, null);
    }

    private AtomicInteger count(CrashPoint point) {
        return Objects.requireNonNull(passed.get(point));
    }

    private @Nullable Runnable take(CrashPoint point) {
        synchronized (armed) {
            Armed next = armed.remove(point);
            if (next == null) {
                return null;
            }
            if (next.times > 1) {
                armed.put(point, new Armed(next.times - 1, next.action));
            }
            return next.action;
        }
    }
}
