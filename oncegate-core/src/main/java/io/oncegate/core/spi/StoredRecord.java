package io.oncegate.core.spi;

import io.oncegate.core.key.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps for a key. All times are microseconds since 1970 by the store's clock.
 *
 * @param operation the operation's name, for operators
 * @param state the state
 * @param fence the number of the newest claim; it never falls
 * @param attempt the attempt that made the newest claim
 * @param fingerprint what the newest claim was asked for
 * @param leaseEnd when the newest claim's lease ends; 0 where nobody holds the record
 * @param retention how long the record goes on to answer once it is settled, or once its lease is over, in microseconds
 * @param expiresAt from when the record no longer answers; {@link #NEVER} for unknown outcomes
 * @param result the result, or null if it was dropped or could never be stored; while the record is running or unknown,
 *     its {@link Inquiry} or null
 * @param resultUntil until when the result may be replayed, 0 without a result; of an unknown outcome, until when nobody is
 *     let in to find out, or 0
 */
public record StoredRecord(
        String operation,
        RecordState state,
        long fence,
        AttemptId attempt,
        Fingerprint fingerprint,
        long leaseEnd,
        long retention,
        long expiresAt,
        @Nullable Payload result,
        long resultUntil) {
    /** The {@link #expiresAt} of a record that never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Whether it no longer answers at this time of the store. */
    public boolean expired(long now) {
        return now >= expiresAt;
    }

    /** Whether somebody's lease still runs at this time of the store. */
    public boolean leased(long now) {
        return now < leaseEnd;
    }

    /** The result as far as it may still be replayed at this time of the store. */
    public @Nullable Payload resultAt(long now) {
        return now < resultUntil ? result : null;
    }

    /** Whether this claim made the record's newest claim. */
    public boolean heldBy(ClaimRef claim) {
        return fence == claim.fence() && attempt.equals(claim.attempt());
    }
}
