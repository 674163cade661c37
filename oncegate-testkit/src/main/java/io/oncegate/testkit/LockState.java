package io.oncegate.testkit;

import io.oncegate.core.lock.LockRow;

/** The rows of the lock's table, as a lock is seen at a moment. */
enum LockState {
    ABSENT,
    HELD,
    HELD_IN_WINDOW,
    LEASE_OVER,
    LEASE_OVER_IN_WINDOW,
    COMPLETED_IN_WINDOW,
    FREE;

    /** What can be asked of a lock. */
    enum Question {
        ACQUIRE_ANEW,
        ACQUIRE_AGAIN,
        TAKE_RESULT,
        RENEW_BY_HOLDER,
        RENEW_BY_ANOTHER,
        END_BY_HOLDER,
        END_BY_ANOTHER,
        PASS_BY_HOLDER,
        PASS_BY_ANOTHER
    }

    static LockState of(LockRow row, long now) {
        boolean inWindow = now < row.windowEnd();
        if (row.ended()) {
            return inWindow ? COMPLETED_IN_WINDOW : FREE;
        }
        if (now < row.leaseEnd()) {
            return inWindow ? HELD_IN_WINDOW : HELD;
        }
        return inWindow ? LEASE_OVER_IN_WINDOW : LEASE_OVER;
    }
}
