package io.oncegate.core.lock;

import io.oncegate.core.key.OperationKey;

/**
 * Something that happened to a lock. Operation and kind are bounded and fit for metric labels; the key is not.
 *
 * @param kind what happened
 * @param key which lock it is
 * @param store the store's name
 */
public record LockEvent(Kind kind, OperationKey key, String store) {
    /** What can happen to a lock. */
    public enum Kind {
        /** It was acquired. */
        ACQUIRED,
        /** It was held by another one, at once or until the time for waiting was over. */
        REFUSED,
        /** Another one's result was given instead. */
        ANSWERED,
        /** It was lost before it was ended. */
        LOST,
        /** It could not be acquired because the store gave no answer. */
        STORE_DOWN,
        /** It could not be ended because the store gave no answer. */
        RELEASE_UNKNOWN,
        /** The work ran without it because the store gave no answer, as its owner allows. */
        UNPROTECTED
    }
}
