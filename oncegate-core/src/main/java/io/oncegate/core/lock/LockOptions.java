package io.oncegate.core.lock;

import io.oncegate.core.Operation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What kind of hold a lock is, and for how long. Immutable.
 *
 * @param lease how long the lock is held unrenewed, by the store's clock; 1 ms to {@link #MAX_LEASE}. Where a session
 *     stands for the lease, as in ZooKeeper, it says nothing
 * @param renewed whether the lease is renewed in the background until the lock is ended
 * @param maxHold after how long renewals end, so that a lock whose holder forgot it is not held for ever; 1 ms to {@link
 *     #MAX_HOLD}
 * @param window how long from its acquisition the lock refuses others although it has been completed, or null for a hold
 *     until done; 1 ms to {@link #MAX_WINDOW}
 * @param takesResult whether an acquisition that meets another holder's run is given that run's result when there is one
 */
public record LockOptions(
        Duration lease,
        boolean renewed,
        Duration maxHold,
        @Nullable Duration window,
        boolean takesResult) {
    /** The lease, unless said otherwise. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** How long a lease is renewed at most, unless said otherwise. */
    public static final Duration DEFAULT_MAX_HOLD = Duration.ofHours(1);

    /** The longest lease. */
    public static final Duration MAX_LEASE = Operation.MAX_LEASE;

    /** The longest time for which a lease may be renewed. */
    public static final Duration MAX_HOLD = Duration.ofDays(365);

    /** The longest window. */
    public static final Duration MAX_WINDOW = Duration.ofDays(30);

    private static final LockOptions UNTIL_DONE = new LockOptions(DEFAULT_LEASE, true, DEFAULT_MAX_HOLD, null, false);

    /**
     * Checks all of them.
     *
     * @throws IllegalArgumentException if a time is zero, negative, below a millisecond or absurdly long
     */
    public LockOptions {
        requireWithin("lease", lease, MAX_LEASE);
        requireWithin("max hold", maxHold, MAX_HOLD);
        if (window != null) {
            requireWithin("window", window, MAX_WINDOW);
        }
    }

    /** A hold until done: mutual exclusion, free again when it is released or completed. */
    public static LockOptions untilDone() {
        return UNTIL_DONE;
    }

    /** A hold for a window: others are refused until it is done, and until this long has passed since it was acquired. */
    public static LockOptions forWindow(Duration window) {
        return new LockOptions(DEFAULT_LEASE, true, DEFAULT_MAX_HOLD, window, false);
    }

    /** These options with another lease. */
    public LockOptions lease(Duration other) {
        return new LockOptions(other, renewed, maxHold, window, takesResult);
    }

    /** These options without renewal: the lock is lost when its lease is over, unless {@link HeldLock#renew} is called. */
    public LockOptions notRenewed() {
        return new LockOptions(lease, false, maxHold, window, takesResult);
    }

    /** These options with another end of renewals. */
    public LockOptions maxHold(Duration other) {
        return new LockOptions(lease, renewed, other, window, takesResult);
    }

    /** These options, taking the winner's result. */
    public LockOptions takingResult() {
        return new LockOptions(lease, renewed, maxHold, window, true);
    }

    private static void requireWithin(String what, @Nullable Duration duration, Duration max) {
        if (duration == null || duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(max) > 0) {
            throw new IllegalArgumentException("the " + what + " of a lock is 1 ms to " + max + ", not " + duration);
        }
    }
}
