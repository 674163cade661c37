package io.oncegate.core.ladder;

/** The orders in which a fast store and a judge can be put together: the ladder's, and others that look as good. */
enum Order {
    /** The one that the engine follows. */
    LADDER,
    /** The fast store is settled as soon as the business has returned, before the commit. */
    SETTLE_BEFORE_COMMIT,
    /** A fast store that says "free" is believed, and the judge is not asked. */
    BELIEVE_FREE,
    /** The judge is looked up, and its record is written at the end. */
    LOOK_UP_FIRST,
    /** Whoever reads an answer at the judge writes it into the fast store. */
    READERS_WRITE,
    /** The fast store is written after the commit, without a claim there. */
    SETTLE_WITHOUT_CLAIM,
    /** The fast store keeps the answer for the whole retention. */
    WHOLE_RETENTION,
    /** The fast claim is renewed until it is settled. */
    RENEW_THROUGH_COMMIT,
    /** The fast claim is settled although a renewal of it has not been answered, and may still arrive. */
    SETTLE_DESPITE_RENEWAL,
    /** Without a result the fast store keeps the answer as if the judge's record had been written when the business returned. */
    COUNT_FROM_THE_RETURN,
    /** The fast claim can still be settled when its lease is over. */
    SETTLE_OUTSIDE_LEASE,
    /** A commit without a reply counts as rolled back: the fast claim is released, and the caller told so. */
    ASSUME_ROLLBACK,
    /** A commit without a reply counts as done. */
    ASSUME_COMMIT,
    /** A commit without a reply is looked for by a plain read, which waits for nobody's lock. */
    LOOK_WITHOUT_LOCK,
    /** The payload is checked in the fast store alone. */
    TRUST_FAST_PAYLOAD,
    /** The fast store alone says that a key belongs to another payload. */
    BELIEVE_MISMATCH,
    /** A forget deletes in the fast store first, then at the judge. */
    FORGET_FAST_FIRST,
    /** A forget deletes at the judge first, then in the fast store, without marking the judge's record before. */
    FORGET_WITHOUT_MARK
}
