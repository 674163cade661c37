package io.oncegate.spring.lock;

import io.oncegate.core.lock.LockRelease;
import org.jspecify.annotations.Nullable;

/** What a call meets at the lock. */
sealed interface Entrance {
    /**
     * It runs under a hold, and takes part in it until it has left.
     *
     * @param decides whether it is this call that says how the hold ends, and not one around it
     */
    record Inside(LockPlan plan, Hold hold, boolean decides) implements Entrance {
        /**
         * The call has returned.
         *
         * @throws LockLostException if the lock turns out to have been lost, and the method is to fail then
         */
        void returned(@Nullable Object result) {
            if (decides) {
                hold.ending(plan.returned(hold.key(), result));
            }
            LockRelease release = hold.leaveRunning();
            if (release == LockRelease.LOST && plan.failOnLost()) {
                throw new LockLostException(hold.key(), hold.lock().fence());
            }
        }

        /** The call has failed, or nobody knows how it ended. */
        void ended(Ending how) {
            // within one transaction an earlier call's success is not undone by a later one's failure
            if (decides && !hold.ending().completed()) {
                hold.ending(how);
            }
            var unused = hold.leaveRunning();
        }
    }

    /** It does not run, and is answered with this. */
    record Answer(@Nullable Object value) implements Entrance {}

    /** It runs without a lock, because the store is down. */
    record Unprotected() implements Entrance {}
}
