package io.oncegate.core.spi;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks a store for the exclusive right to run an operation for a key.
 *
 * @param id the record
 * @param operation the operation's name, kept for operators
 * @param fingerprint what is asked for
 * @param attempt who asks, this time
 * @param lease how long the claim may be held unrenewed
 * @param retention how long the record goes on to answer after its settling, or after its lease has run out
 * @param maxAsks how often reconcilers may be let in for a record before the asker is not; 0 for one who cannot reconcile.
 *     One who can is let in where a claim was left to run out, too, instead of taking it over
 * @param birth the rule for the key's birth time, or null without one
 */
public record ClaimRequest(
        RecordId id,
        String operation,
        Fingerprint fingerprint,
        AttemptId attempt,
        Duration lease,
        Duration retention,
        int maxAsks,
        @Nullable BirthRule birth) {

    /** The same request under another fingerprint: used where a record speaks an older or newer version of it. */
    public ClaimRequest withFingerprint(Fingerprint other) {
        return new ClaimRequest(id, operation, other, attempt, lease, retention, maxAsks, birth);
    }

    /** The same request of one whose business has already run: no birth time forbids it, and it reconciles nothing. */
    public ClaimRequest afterBusiness() {
        return new ClaimRequest(id, operation, fingerprint, attempt, lease, retention, 0, null);
    }

    /** {@link #afterBusiness()} of one who knows the outcome, and so may end an unknown one however often it was asked about. */
    public ClaimRequest knowing() {
        return new ClaimRequest(id, operation, fingerprint, attempt, lease, retention, Integer.MAX_VALUE, null);
    }
}
