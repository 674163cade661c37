package io.oncegate.core.spi;

import io.oncegate.core.key.Fingerprint;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The record's state machine: what a record becomes and what the asker is told, as pure functions of the record, the
 * question and the store's time in microseconds. Stores call it, or do the same in their backend's language and are held
 * to it by the contract in oncegate-testkit. Thread-safe: it has no state.
 */
public final class RecordMachine {
    private RecordMachine() {}

    /**
     * A decision.
     *
     * @param answer what the asker is told
     * @param record what the record is afterwards: the same object if it is untouched, null if there is none
     */
    public record Decision<A>(A answer, @Nullable StoredRecord record) {}

    /** What a sweep does with a record. */
    public enum Sweep {
        /** It stays as it is. */
        KEEP,
        /** Its result goes; the tombstone stays. */
        DROP_RESULT,
        /** All of it goes. */
        DELETE
    }

    /** Decides a claim. */
    public static Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
        if (record == null || record.state() == RecordState.FREE || record.expired(now)) {
            ClaimAnswer.@Nullable OutOfTime refusal = outOfTime(request.birth(), now);
            return refusal != null ? new Decision<>(refusal, record) : grant(record, request, now, false);
        }
        if (!record.fingerprint().equals(request.fingerprint())) {
            return new Decision<>(new ClaimAnswer.Mismatch(record.fingerprint()), record);
        }
        boolean own = record.attempt().equals(request.attempt());
        if (record.state().settled()) {
            Payload result = record.resultAt(now);
            return new Decision<>(
                    result == null
                            ? new ClaimAnswer.NoResult(record.state(), own, micros(record.expiresAt() - now))
                            : new ClaimAnswer.Replay(
                                    record.state(),
                                    result,
                                    own,
                                    micros(Math.min(record.resultUntil(), record.expiresAt()) - now)),
                    record);
        }
        boolean unknown = record.state() == RecordState.UNKNOWN;
        if (record.leased(now)) {
            if (!own) {
                return new Decision<>(new ClaimAnswer.Held(micros(record.leaseEnd() - now)), record);
            }
            return new Decision<>(
                    unknown
                            ? reconcile(record.fence(), Inquiry.of(record), now)
                            : new ClaimAnswer.Granted(record.fence(), false),
                    record);
        }
        if (!unknown) {
            return request.maxAsks() == 0 ? grant(record, request, now, true) : reconcile(record, request, now);
        }
        long pause = Math.max(0, record.resultUntil() - now);
        boolean asksLeft = Inquiry.of(record).asked() < request.maxAsks();
        if (pause == 0 && asksLeft) {
            return reconcile(record, request, now);
        }
        boolean anybodyWill = asksLeft || request.maxAsks() == 0;
        return new Decision<>(new ClaimAnswer.Unknown(micros(anybodyWill ? pause : 0)), record);
    }

    /** Decides a renewal. */
    public static Decision<HolderAnswer> renew(
            @Nullable StoredRecord record, ClaimRef claim, Duration lease, long now) {
        if (record == null || !holds(record, claim, now)) {
            return refuse(record, claim, now);
        }
        long leaseEnd = now + micros(lease);
        long expiresAt = record.state() == RecordState.UNKNOWN ? StoredRecord.NEVER : leaseEnd + record.retention();
        return new Decision<>(
                HolderAnswer.DONE,
                new StoredRecord(
                        record.operation(),
                        record.state(),
                        record.fence(),
                        record.attempt(),
                        record.fingerprint(),
                        leaseEnd,
                        record.retention(),
                        expiresAt,
                        record.result(),
                        record.resultUntil()));
    }

    /** Decides a settling. An unknown outcome keeps what the record remembers of its claim. */
    public static Decision<HolderAnswer> settle(
            @Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
        if (record == null || !holds(record, claim, now)) {
            return record != null && sameSettle(record, claim, settlement, now)
                    ? new Decision<>(HolderAnswer.DONE, record)
                    : refuse(record, claim, now);
        }
        return new Decision<>(
                HolderAnswer.DONE,
                settled(
                        record.operation(),
                        record.fence(),
                        record.attempt(),
                        record.fingerprint(),
                        settlement,
                        record.result(),
                        now));
    }

    /** Decides a release. */
    public static Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
        return record == null || !holds(record, claim, now)
                ? refuse(record, claim, now)
                : new Decision<>(HolderAnswer.DONE, freed(record, now));
    }

    /** Decides an operator's wish to forget a record, after which the key can be run again. */
    public static Decision<ForgetAnswer> forget(@Nullable StoredRecord record, long now) {
        if (record == null || record.state() == RecordState.FREE) {
            return new Decision<>(ForgetAnswer.ABSENT, record);
        }
        return record.leased(now)
                ? new Decision<>(ForgetAnswer.HELD, record)
                : new Decision<>(ForgetAnswer.FORGOTTEN, freed(record, now));
    }

    /**
     * Decides the mark of one who will forget a record here after he has forgotten it in another store. A marked record is
     * <em>unknown</em>, under a claim of the marker: as long as its lease lives all others are held, and if the marker dies
     * nothing is run and nothing replayed until somebody marks and forgets it again.
     */
    public static Decision<MarkAnswer> mark(
            @Nullable StoredRecord record, AttemptId attempt, Duration lease, long now) {
        if (record == null || record.state() == RecordState.FREE || record.expired(now)) {
            return new Decision<>(new MarkAnswer.Absent(), record);
        }
        if (record.leased(now)) {
            boolean own =
                    record.state() == RecordState.UNKNOWN && record.attempt().equals(attempt);
            return new Decision<>(own ? new MarkAnswer.Marked(record.fence()) : new MarkAnswer.Held(), record);
        }
        long fence = nextFence(record, now);
        return new Decision<>(
                new MarkAnswer.Marked(fence),
                new StoredRecord(
                        record.operation(),
                        RecordState.UNKNOWN,
                        fence,
                        attempt,
                        record.fingerprint(),
                        now + micros(lease),
                        record.retention(),
                        StoredRecord.NEVER,
                        record.state().settled() ? null : record.result(),
                        0));
    }

    /**
     * Decides what a sweep does. A record goes when it has expired and the store's time has passed its fence by the
     * margin, so that the next claim's fence is higher although nothing remembers this one.
     *
     * @param margin the largest step that the store's clock is expected to make, plus the longest wait for a lock, in
     *     microseconds
     */
    public static Sweep sweep(StoredRecord record, long now, long margin) {
        if (now >= purgeableAt(record, margin)) {
            return Sweep.DELETE;
        }
        return record.state().settled() && record.result() != null && record.resultAt(now) == null
                ? Sweep.DROP_RESULT
                : Sweep.KEEP;
    }

    /** From when a sweep may delete the record; {@link StoredRecord#NEVER} for unknown outcomes. */
    public static long purgeableAt(StoredRecord record, long margin) {
        return Math.max(record.expiresAt(), record.fence() + margin);
    }

    /**
     * The record of a request that is settled at its first claim, as <em>same-transaction</em> mode writes it: before it is
     * committed nobody else can see it, and if it is ever committed alone it answers and never runs again.
     *
     * @param fence the fence that {@link #nextFence} gave
     */
    public static StoredRecord settledFirst(ClaimRequest request, Settlement settlement, long fence, long now) {
        return settled(request.operation(), fence, request.attempt(), request.fingerprint(), settlement, null, now);
    }

    /** The number of the next claim: higher than the last one, and no lower than the store's time. */
    public static long nextFence(@Nullable StoredRecord record, long now) {
        return record == null ? now : Math.max(record.fence() + 1, now);
    }

    /** The duration in whole microseconds. */
    public static long micros(Duration duration) {
        return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1000;
    }

    /** The duration of this many microseconds. */
    public static Duration micros(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    private static ClaimAnswer.@Nullable OutOfTime outOfTime(@Nullable BirthRule rule, long now) {
        if (rule == null) {
            return null;
        }
        long age = now - TimeUnit.MILLISECONDS.toMicros(rule.bornAt().toEpochMilli());
        if (age >= micros(rule.limit())) {
            return new ClaimAnswer.OutOfTime(false);
        }
        return -age > micros(rule.tolerance()) ? new ClaimAnswer.OutOfTime(true) : null;
    }

    private static Decision<ClaimAnswer> grant(
            @Nullable StoredRecord record, ClaimRequest request, long now, boolean takeover) {
        long fence = nextFence(record, now);
        long leaseEnd = now + micros(request.lease());
        long retention = micros(request.retention());
        return new Decision<>(
                new ClaimAnswer.Granted(fence, takeover),
                new StoredRecord(
                        request.operation(),
                        RecordState.RUNNING,
                        fence,
                        request.attempt(),
                        request.fingerprint(),
                        leaseEnd,
                        retention,
                        leaseEnd + retention,
                        takeover && record != null ? Inquiry.of(record).toPayload() : null,
                        0));
    }

    private static Decision<ClaimAnswer> reconcile(StoredRecord record, ClaimRequest request, long now) {
        long fence = nextFence(record, now);
        Inquiry inquiry = Inquiry.of(record).more();
        return new Decision<>(
                reconcile(fence, inquiry, now),
                new StoredRecord(
                        record.operation(),
                        RecordState.UNKNOWN,
                        fence,
                        request.attempt(),
                        record.fingerprint(),
                        now + micros(request.lease()),
                        record.retention(),
                        StoredRecord.NEVER,
                        inquiry.toPayload(),
                        0));
    }

    private static ClaimAnswer reconcile(long fence, Inquiry inquiry, long now) {
        return new ClaimAnswer.Reconcile(fence, inquiry.asked(), micros(Math.max(0, now - inquiry.claimedAt())));
    }

    /** Whether this claim may still act: it is the newest, unsettled, and its lease has not been over too long. */
    private static boolean holds(StoredRecord record, ClaimRef claim, long now) {
        if (!record.heldBy(claim) || record.expired(now)) {
            return false;
        }
        return record.state() == RecordState.RUNNING
                || (record.state() == RecordState.UNKNOWN && record.leaseEnd() != 0);
    }

    private static boolean sameSettle(StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
        if (!record.heldBy(claim) || record.expired(now) || record.state() != settlement.state()) {
            return false;
        }
        if (!record.state().settled()) {
            return true;
        }
        Payload kept = record.resultAt(now);
        return kept == null || Objects.equals(kept, settlement.result());
    }

    private static Decision<HolderAnswer> refuse(@Nullable StoredRecord record, ClaimRef claim, long now) {
        boolean settled = record != null
                && record.heldBy(claim)
                && !record.expired(now)
                && (record.state().settled() || record.state() == RecordState.UNKNOWN);
        return new Decision<>(settled ? HolderAnswer.SETTLED : HolderAnswer.LOST, record);
    }

    private static StoredRecord settled(
            String operation,
            long fence,
            AttemptId attempt,
            Fingerprint fingerprint,
            Settlement settlement,
            @Nullable Payload inquiry,
            long now) {
        long retention = micros(settlement.retention());
        long kept = micros(settlement.resultRetention());
        boolean unknown = settlement.state() == RecordState.UNKNOWN;
        Payload result = unknown ? inquiry : settlement.result();
        boolean until = unknown ? kept > 0 : result != null;
        return new StoredRecord(
                operation,
                settlement.state(),
                fence,
                attempt,
                fingerprint,
                0,
                retention,
                unknown ? StoredRecord.NEVER : now + retention,
                result,
                until ? now + kept : 0);
    }

    private static StoredRecord freed(StoredRecord record, long now) {
        return new StoredRecord(
                record.operation(),
                RecordState.FREE,
                record.fence(),
                record.attempt(),
                Fingerprint.none(),
                0,
                record.retention(),
                now,
                null,
                0);
    }
}
