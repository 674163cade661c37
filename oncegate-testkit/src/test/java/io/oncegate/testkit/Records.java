package io.oncegate.testkit;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.StoredRecord;
import org.jspecify.annotations.Nullable;

/** Copies of a record that differ in one thing, for stores that are to be broken. */
final class Records {
    private Records() {}

    static StoredRecord state(StoredRecord r, RecordState state) {
        return copy(
                r,
                state,
                r.fence(),
                r.attempt(),
                r.fingerprint(),
                r.leaseEnd(),
                r.expiresAt(),
                r.result(),
                r.resultUntil());
    }

    static StoredRecord fence(StoredRecord r, long fence) {
        return copy(
                r,
                r.state(),
                fence,
                r.attempt(),
                r.fingerprint(),
                r.leaseEnd(),
                r.expiresAt(),
                r.result(),
                r.resultUntil());
    }

    static StoredRecord attempt(StoredRecord r, AttemptId attempt) {
        return copy(
                r,
                r.state(),
                r.fence(),
                attempt,
                r.fingerprint(),
                r.leaseEnd(),
                r.expiresAt(),
                r.result(),
                r.resultUntil());
    }

    static StoredRecord fingerprint(StoredRecord r, Fingerprint fingerprint) {
        return copy(
                r,
                r.state(),
                r.fence(),
                r.attempt(),
                fingerprint,
                r.leaseEnd(),
                r.expiresAt(),
                r.result(),
                r.resultUntil());
    }

    static StoredRecord lease(StoredRecord r, long leaseEnd) {
        return copy(
                r,
                r.state(),
                r.fence(),
                r.attempt(),
                r.fingerprint(),
                leaseEnd,
                r.expiresAt(),
                r.result(),
                r.resultUntil());
    }

    static StoredRecord expiry(StoredRecord r, long expiresAt) {
        return copy(
                r,
                r.state(),
                r.fence(),
                r.attempt(),
                r.fingerprint(),
                r.leaseEnd(),
                expiresAt,
                r.result(),
                r.resultUntil());
    }

    static StoredRecord result(StoredRecord r, @Nullable Payload result, long until) {
        return copy(r, r.state(), r.fence(), r.attempt(), r.fingerprint(), r.leaseEnd(), r.expiresAt(), result, until);
    }

    private static StoredRecord copy(
            StoredRecord r,
            RecordState state,
            long fence,
            AttemptId attempt,
            Fingerprint fingerprint,
            long leaseEnd,
            long expiresAt,
            @Nullable Payload result,
            long resultUntil) {
        return new StoredRecord(
                r.operation(),
                state,
                fence,
                attempt,
                fingerprint,
                leaseEnd,
                r.retention(),
                expiresAt,
                result,
                resultUntil);
    }
}
