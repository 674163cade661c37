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
 * @param reconciles whether the asker can reconcile an unknown outcome
 * @param birth the rule for the key's birth time, or null without one
 */
public record ClaimRequest(
        RecordId id,
        String operation,
        Fingerprint fingerprint,
        AttemptId attempt,
        Duration lease,
        Duration retention,
        boolean reconciles,
        @Nullable BirthRule birth) {

    /** The same request under another fingerprint: used where a record speaks an older or newer version of it. */
    public ClaimRequest withFingerprint(Fingerprint other) {
        return new ClaimRequest(id, operation, other, attempt, lease, retention, reconciles, birth);
    }

    /** The same request of one whose business has already run: no birth time forbids it, and it reconciles nothing. */
    public ClaimRequest afterBusiness() {
        return new ClaimRequest(id, operation, fingerprint, attempt, lease, retention, false, null);
    }
}
