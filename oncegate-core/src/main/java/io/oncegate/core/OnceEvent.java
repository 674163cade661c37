package io.oncegate.core;

import io.oncegate.core.key.OperationKey;

/**
 * Something that happened to a call. Operation and kind are bounded and fit for metric labels; the key is not.
 *
 * @param kind what happened
 * @param key whose call it was
 * @param store the store's name
 */
public record OnceEvent(Kind kind, OperationKey key, String store) {
    /** What can happen to a call. */
    public enum Kind {
        /** The business ran and its success is recorded. */
        EXECUTED,
        /** A stored result was given again. */
        REPLAYED,
        /** A refusal of the business was recorded. */
        REFUSED,
        /** A stored refusal was given again. */
        REFUSAL_REPLAYED,
        /** The business failed, nothing happened, the key is free. */
        FAILED,
        /** A twin is running. */
        HELD,
        /** The key belongs to another request. */
        MISMATCH,
        /** It is done but its result is gone. */
        NO_RESULT,
        /** Nobody knows the outcome. */
        UNKNOWN,
        /** A reconciler found out what had become of an unknown outcome. */
        RECONCILED,
        /** A reconciler was asked as often as its policy allows, and the outcome is still unknown. */
        GIVEN_UP,
        /** The key is too old or from the future. */
        EXPIRED,
        /** A claim was taken over from a holder who let its lease run out. */
        TAKEN_OVER,
        /** A result was too large, or could not be encoded or read. */
        RESULT_NOT_STORABLE,
        /** A claim was lost before its outcome was recorded. */
        LOST,
        /** An outcome could not be recorded. */
        NOT_RECORDED,
        /** The store could not be asked, and the request was refused. */
        STORE_DOWN,
        /** The fast store of a ladder could not be asked; its judge decided alone. */
        FAST_STORE_DOWN,
        /** The store could not be asked, and the request ran without protection. */
        UNPROTECTED
    }
}
