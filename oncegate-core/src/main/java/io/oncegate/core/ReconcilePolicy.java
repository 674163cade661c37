package io.oncegate.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a {@link Reconciler} is asked, and how long it is believed. It holds for all instances and over restarts, by the
 * store's clock: how often a key was asked about, and when it may be again, stands in its record. Immutable.
 *
 * @param firstPause the pause before the first time and after it; it doubles each time. 1 ms or more
 * @param longestPause the longest pause, no shorter than the first
 * @param maxAsks how often one outcome is asked about, 1 or more. Then it stays unknown until an operator forgets it
 * @param peerRetention how long the remote side remembers a request, counted from the first claim of the key, or null if for
 *     ever. A <em>not done</em> that comes later is not believed, for the other side may have forgotten that it was done
 */
public record ReconcilePolicy(
        Duration firstPause,
        Duration longestPause,
        int maxAsks,
        @Nullable Duration peerRetention) {
    /** 1 s, doubled up to 5 minutes, a hundred times (about 8 hours), of a remote side that never forgets. */
    public static final ReconcilePolicy DEFAULT =
            new ReconcilePolicy(Duration.ofSeconds(1), Duration.ofMinutes(5), 100, null);

    private static final int MOST_DOUBLINGS = 40;

    /** Checks that the pauses and the number can be kept to. */
    public ReconcilePolicy {
        if (firstPause.compareTo(Duration.ofMillis(1)) < 0
                || longestPause.compareTo(firstPause) < 0
                || longestPause.compareTo(Operation.MAX_RETENTION) > 0) {
            throw new IllegalArgumentException("the pauses of a reconciler are 1 ms to " + Operation.MAX_RETENTION
                    + ", the longest no shorter than the first, not " + firstPause + " and " + longestPause);
        }
        if (maxAsks < 1) {
            throw new IllegalArgumentException("a reconciler is asked once or more often, not " + maxAsks + " times");
        }
        if (peerRetention != null && (peerRetention.isNegative() || peerRetention.isZero())) {
            throw new IllegalArgumentException(
                    "a peer's retention is longer than nothing, not " + peerRetention + "; null is for ever");
        }
    }

    /** The same with other pauses. */
    public ReconcilePolicy pauses(Duration first, Duration longest) {
        return new ReconcilePolicy(first, longest, maxAsks, peerRetention);
    }

    /** The same with another number of times. */
    public ReconcilePolicy maxAsks(int most) {
        return new ReconcilePolicy(firstPause, longestPause, most, peerRetention);
    }

    /** The same for a remote side that remembers a request for so long. */
    public ReconcilePolicy peerRetention(Duration remembers) {
        return new ReconcilePolicy(firstPause, longestPause, maxAsks, remembers);
    }

    /** The pause after it has been asked so often; zero where it is not asked again. */
    Duration pauseAfter(int asked) {
        if (asked >= maxAsks) {
            return Duration.ZERO;
        }
        Duration pause = firstPause;
        for (int i = 1; i < Math.min(asked, MOST_DOUBLINGS) && pause.compareTo(longestPause) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(longestPause) < 0 ? pause : longestPause;
    }

    /** Whether a <em>not done</em> may be believed of a key of this age. */
    boolean believes(Duration age) {
        return peerRetention == null || age.compareTo(peerRetention) < 0;
    }
}
