package io.oncegate.core.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a lock. Its owner is this acquisition: it belongs to no thread, host or process, so that any thread may
 * renew or end it, and a second acquisition of the same key meets it as anybody's would. Thread-safe.
 *
 * <p>A holder that was paused may believe that it holds what it has lost. {@link #isHeld()} is no proof, for the pause may
 * come behind it: only a write that carries the {@link #fence()} to where it is compared is safe.
 */
public interface HeldLock extends AutoCloseable {
    /** What is locked. */
    OperationKey key();

    /** The number of this acquisition, higher than that of every earlier one of the key in the same store. */
    long fence();

    /**
     * Whether it is held as far as this process knows: not ended, not told to be lost, and its lease, counted from before the
     * request was sent by the monotonic clock, not over. Asks nobody.
     */
    boolean isHeld();

    /** How long it is held at least if it is not renewed, as far as this process knows; zero when it is not held. */
    Duration remaining();

    /**
     * Renews the lease now.
     *
     * @return whether it is held; false also once it had been lost or ended
     * @throws StoreUnavailableException if there is no answer
     */
    boolean renew();

    /**
     * Ends the hold with nothing done: the key is free at once, also within its window. Never throws for a store that cannot
     * be reached. Ending an ended hold changes nothing and says what the first ending said.
     */
    LockRelease release();

    /**
     * Ends the hold with its work done: the key is free at once, or at its window's end. Else as {@link #release()}.
     *
     * @param result given to acquisitions that take it and meet this run: those that were waiting for it, and within the
     *     window all; null for none
     */
    LockRelease complete(@Nullable Payload result);

    /**
     * Runs this once when the lock is lost before it is ended, on a thread that others need too: it is to be quick. Runs it
     * now, on this thread, if that has happened. Several may be given.
     */
    void onLost(Runnable callback);

    /** Ends the hold as {@link #complete} does, without a result. Quiet if it has been ended. */
    @Override
    default void close() {
        var ignored = complete(null);
    }
}
