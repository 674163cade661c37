package io.oncegate.core.lock;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps for a lock. Times are microseconds since 1970 by the store's clock. Immutable.
 *
 * @param attempt who acquired it last
 * @param fence the number of that acquisition
 * @param ended whether that acquisition has been ended
 * @param leaseEnd when it is over unless renewed; 0 once ended
 * @param windowEnd until when others are refused in any case; 0 without a window, or once it was released
 * @param result the last result, or null
 * @param resultFence the acquisition that gave it
 * @param resultUntil until when it is given to others
 */
public record LockRow(
        AttemptId attempt,
        long fence,
        boolean ended,
        long leaseEnd,
        long windowEnd,
        @Nullable Payload result,
        long resultFence,
        long resultUntil) {

    /** Until when others are refused, unless it is renewed. */
    public long heldUntil() {
        return Math.max(leaseEnd, windowEnd);
    }

    /** Whether this is the acquisition's own, not ended and its lease not over. */
    boolean heldBy(ClaimRef held, long now) {
        return isOf(held) && !ended && now < leaseEnd;
    }

    boolean isOf(ClaimRef held) {
        return fence == held.fence() && attempt.equals(held.attempt());
    }

    /** The result of the run with this fence or of a later one, or null. */
    @Nullable
    Payload resultSince(long since, long now) {
        return resultFence >= since && now < resultUntil ? result : null;
    }
}
