package io.oncegate.core.lock;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock, as a store is asked for it. Sent again it is the same attempt.
 *
 * @param id the lock
 * @param operation the name of the business action, for those who look at the store
 * @param attempt the random name of this acquisition
 * @param lease how long it is held unrenewed
 * @param window how long it refuses others from its acquisition on although it is completed; null for a hold until done
 * @param waits whether the asker waits and wants to be told by {@link LockStore#watch} when the lock becomes free
 * @param metFence with {@code takesResult}: the fence of the run that this attempt has met, or 0
 * @param takesResult whether the result of the met run is wanted
 */
public record LockRequest(
        RecordId id,
        String operation,
        AttemptId attempt,
        Duration lease,
        @Nullable Duration window,
        boolean waits,
        boolean takesResult,
        long metFence) {

    /** The request of one who does not wait and takes no result. */
    public static LockRequest of(RecordId id, String operation, Duration lease, @Nullable Duration window) {
        return new LockRequest(id, operation, AttemptId.random(), lease, window, false, false, 0);
    }

    /** This request, of one who waits. */
    public LockRequest waiting() {
        return waits ? this : new LockRequest(id, operation, attempt, lease, window, true, takesResult, metFence);
    }

    /** This request, having met the run with this fence. */
    public LockRequest met(long fence) {
        return fence == metFence
                ? this
                : new LockRequest(id, operation, attempt, lease, window, waits, takesResult, fence);
    }
}
