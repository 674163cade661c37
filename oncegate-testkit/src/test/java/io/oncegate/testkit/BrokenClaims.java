package io.oncegate.testkit;

import static io.oncegate.testkit.Broken.anywhere;
import static io.oncegate.testkit.Broken.race;
import static io.oncegate.testkit.Broken.written;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Inquiry;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores whose claims are broken. */
final class BrokenClaims {
    private BrokenClaims() {}

    static Stream<Broken> all() {
        return List.of(
                anywhere(
                        "payload checked while running",
                        "no check while running",
                        new Mutant.OfPayload(RecordRow.RUNNING)),
                anywhere(
                        "payload checked on takeover",
                        "no check on takeover",
                        new Mutant.OfPayload(RecordRow.LEASE_OVER)),
                anywhere(
                        "payload checked before a replay",
                        "no check before a replay",
                        new Mutant.OfPayload(RecordRow.SETTLED_WITH_RESULT)),
                anywhere(
                        "payload checked on a tombstone",
                        "no check on a tombstone",
                        new Mutant.OfPayload(RecordRow.SETTLED_WITHOUT_RESULT)),
                anywhere(
                        "payload checked when unknown",
                        "no check when unknown",
                        new Mutant.OfPayload(RecordRow.UNKNOWN)),
                anywhere(
                        "a live lease holds",
                        "every lease counts as over",
                        seen(r -> Records.lease(r, Math.min(r.leaseEnd(), 1)))),
                anywhere(
                        "an abandoned claim ends with its lease",
                        "it holds for the whole retention",
                        seen(r -> r.state() == RecordState.RUNNING ? Records.lease(r, r.expiresAt()) : r)),
                anywhere(
                        "an abandoned claim is a takeover, its payload checked",
                        "it is free at its lease's end",
                        seen(r -> r.state() == RecordState.RUNNING ? Records.expiry(r, r.leaseEnd()) : r)),
                anywhere(
                        "an abandoned claim ends after a retention",
                        "it answers for ever",
                        seen(r -> r.state() == RecordState.RUNNING ? Records.expiry(r, StoredRecord.NEVER) : r)),
                anywhere(
                        "a settled record ends after its retention",
                        "it answers for ever",
                        seen(r -> r.state().settled() ? Records.expiry(r, StoredRecord.NEVER) : r)),
                anywhere(
                        "a dropped result is no rerun",
                        "it runs again",
                        seen(r -> r.resultUntil() > 0 && r.state().settled() ? Records.expiry(r, r.resultUntil()) : r)),
                anywhere(
                        "no result is no rerun",
                        "null counts as nothing stored",
                        seen(r -> r.result() == null && r.state().settled() ? Records.expiry(r, 0) : r)),
                written(
                        "an empty result is a result",
                        "empty counts as none",
                        seen(r -> r.result() != null && r.result().size() == 0 ? Records.result(r, null, 0) : r)),
                anywhere(
                        "a result ends with its own retention",
                        "it is replayed as long as the record",
                        seen(r -> r.result() != null ? Records.result(r, r.result(), r.expiresAt()) : r)),
                anywhere(
                        "a refusal is replayed as one",
                        "it is replayed as success",
                        seen(r -> r.state() == RecordState.REFUSED ? Records.state(r, RecordState.SUCCEEDED) : r)),
                anywhere("a fence rises over the last one", "it is the store's time alone", new FenceOfTime()),
                anywhere("a fence is no lower than the store's time", "it counts from 1", new FenceCounter()),
                anywhere("a takeover has a new fence", "it keeps the old one", new TakeoverKeepsFence()),
                anywhere("a takeover says so", "it is told as a plain grant", new TakeoverUntold()),
                anywhere(
                        "the same attempt is given its claim again",
                        "it is held by itself",
                        asked((r, q) -> stranger(q))),
                anywhere("only the settling attempt is told that it is its own", "everybody is", new OwnForAll()),
                anywhere(
                        "a refused claim leaves the fingerprint",
                        "the last one asked for is kept",
                        new MismatchOverwrites()),
                anywhere("a refused claim leaves the lease", "each asker extends it", new HeldExtends()),
                anywhere(
                        "one reconciler at a time",
                        "each asker reconciles",
                        seen(r -> r.state() == RecordState.UNKNOWN ? Records.lease(r, Math.min(r.leaseEnd(), 1)) : r)),
                anywhere(
                        "a reconciler has a lease",
                        "it holds for ever",
                        seen(r -> r.state() == RecordState.UNKNOWN && r.leaseEnd() > 0
                                ? Records.lease(r, StoredRecord.NEVER)
                                : r)),
                anywhere("an answer tells what is left of its record", "it tells a day", new TellsADay()),
                anywhere(
                        "nobody is let in before the pause is over",
                        "the pause is forgotten",
                        seen(r -> r.state() == RecordState.UNKNOWN ? Records.result(r, r.result(), 0) : r)),
                anywhere("each reconciler let in is counted", "none is", new AsksUncounted()),
                anywhere(
                        "reconcilers are not let in more often than said",
                        "they are",
                        asked((r, q) -> q.maxAsks() == 0 ? q : reconciling(q))),
                anywhere(
                        "a claim that was left to run out is asked about",
                        "it is taken over",
                        asked((r, q) -> r != null && r.state() == RecordState.RUNNING
                                ? new Asking(q).maxAsks(0).request()
                                : q)),
                anywhere(
                        "the age counts from the first claim",
                        "from the newest",
                        seen(r -> r.state().settled() ? r : Records.result(r, null, r.resultUntil()))),
                anywhere("only who can reconcile does", "everybody does", asked((r, q) -> reconciling(q))),
                anywhere("unknown outcomes never end", "they end with their retention", new UnknownExpires()),
                anywhere(
                        "a record answers whatever its key's birth",
                        "the birth rule comes first",
                        new BirthRuleFirst()),
                anywhere(
                        "a key that is too old does not run",
                        "the birth rule is forgotten",
                        asked((r, q) -> q.afterBusiness())),
                written(
                        "leases are kept to the millisecond",
                        "they are cut to seconds",
                        asked((r, q) -> lease(q, Duration.ofSeconds(q.lease().toSeconds())))),
                anywhere(
                        "leases are kept to the millisecond",
                        "they are rounded up to seconds",
                        asked((r, q) -> lease(q, Duration.ofSeconds(q.lease().toSeconds() + 1)))),
                written("a key is the whole id", "it is its first byte", new TruncatedKey()),
                race(
                        "a claim of a new key is atomic",
                        "look first, record later",
                        new Mutant.OfAtomicity(RecordRow.ABSENT)),
                race(
                        "a claim of a released key is atomic",
                        "look first, record later",
                        new Mutant.OfAtomicity(RecordRow.FREE)),
                race("a takeover is atomic", "look first, record later", new Mutant.OfAtomicity(RecordRow.LEASE_OVER)),
                race(
                        "a claim of an expired key is atomic",
                        "look first, record later",
                        new Mutant.OfAtomicity(RecordRow.SETTLED_PAST_RETENTION)),
                race(
                        "a reconciler's claim is atomic",
                        "look first, record later",
                        new Mutant.OfAtomicity(RecordRow.UNKNOWN)))
                .stream();
    }

    private interface Ask {
        ClaimRequest asked(@Nullable StoredRecord record, ClaimRequest request);
    }

    /** Claims as if another record were there; the true one stays untouched where the claim is refused. */
    private static Mutant seen(UnaryOperator<StoredRecord> seen) {
        return new Mutant() {
            @Override
            Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
                StoredRecord other = record == null ? null : seen.apply(record);
                Decision<ClaimAnswer> decision = super.claim(other, request, now);
                return decision.record() == other ? new Decision<>(decision.answer(), record) : decision;
            }
        };
    }

    private static Mutant asked(Ask ask) {
        return new Mutant() {
            @Override
            Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
                return super.claim(record, ask.asked(record, request), now);
            }
        };
    }

    private static ClaimRequest stranger(ClaimRequest q) {
        return new Asking(q).anew().request();
    }

    private static ClaimRequest reconciling(ClaimRequest q) {
        return new Asking(q).reconciling().request();
    }

    private static ClaimRequest lease(ClaimRequest q, Duration lease) {
        return new Asking(q).lease(lease).request();
    }

    /** Changes what a right decision has granted. */
    private abstract static class OfGrants extends Mutant {
        abstract Decision<ClaimAnswer> granted(
                @Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now);

        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> right = super.claim(record, request, now);
            return right.record() == record
                    ? right
                    : granted(record, Objects.requireNonNull(right.record()), right.answer(), now);
        }

        private static ClaimAnswer reconciling(long fence, ClaimAnswer.Reconcile right) {
            return new ClaimAnswer.Reconcile(fence, right.asked(), right.age());
        }

        static Decision<ClaimAnswer> withFence(StoredRecord after, ClaimAnswer answer, long fence) {
            return new Decision<>(
                    answer instanceof ClaimAnswer.Granted granted
                            ? new ClaimAnswer.Granted(fence, granted.takeover())
                            : reconciling(fence, (ClaimAnswer.Reconcile) answer),
                    Records.fence(after, fence));
        }
    }

    private static final class FenceOfTime extends OfGrants {
        @Override
        Decision<ClaimAnswer> granted(@Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now) {
            return withFence(after, answer, now);
        }
    }

    private static final class FenceCounter extends OfGrants {
        @Override
        Decision<ClaimAnswer> granted(@Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now) {
            return withFence(after, answer, before == null ? 1 : before.fence() + 1);
        }
    }

    private static final class TakeoverKeepsFence extends OfGrants {
        @Override
        Decision<ClaimAnswer> granted(@Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now) {
            return before != null && RecordRow.of(before, now) == RecordRow.LEASE_OVER
                    ? withFence(after, answer, before.fence())
                    : new Decision<>(answer, after);
        }
    }

    private static final class TakeoverUntold extends OfGrants {
        @Override
        Decision<ClaimAnswer> granted(@Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now) {
            return new Decision<>(
                    answer instanceof ClaimAnswer.Granted granted
                            ? new ClaimAnswer.Granted(granted.fence(), false)
                            : answer,
                    after);
        }
    }

    private static final class OwnForAll extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> right = super.claim(record, request, now);
            if (right.answer() instanceof ClaimAnswer.Replay replay) {
                return new Decision<>(
                        new ClaimAnswer.Replay(replay.state(), replay.result(), true, replay.remaining()), record);
            }
            return right.answer() instanceof ClaimAnswer.NoResult none
                    ? new Decision<>(new ClaimAnswer.NoResult(none.state(), true, none.remaining()), record)
                    : right;
        }
    }

    private static final class TellsADay extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> right = super.claim(record, request, now);
            return right.answer() instanceof ClaimAnswer.Replay replay
                    ? new Decision<>(
                            new ClaimAnswer.Replay(replay.state(), replay.result(), replay.own(), Duration.ofDays(1)),
                            record)
                    : right;
        }
    }

    private static final class AsksUncounted extends OfGrants {
        @Override
        Decision<ClaimAnswer> granted(@Nullable StoredRecord before, StoredRecord after, ClaimAnswer answer, long now) {
            return answer instanceof ClaimAnswer.Reconcile
                    ? new Decision<>(
                            answer,
                            Records.result(
                                    after,
                                    new Inquiry(Inquiry.of(after).claimedAt(), 0).toPayload(),
                                    after.resultUntil()))
                    : new Decision<>(answer, after);
        }
    }

    private static final class MismatchOverwrites extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> right = super.claim(record, request, now);
            return record != null && right.answer() instanceof ClaimAnswer.Mismatch
                    ? new Decision<>(right.answer(), Records.fingerprint(record, request.fingerprint()))
                    : right;
        }
    }

    private static final class HeldExtends extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> right = super.claim(record, request, now);
            long leaseEnd = now + RecordMachine.micros(request.lease());
            return record != null && right.answer() instanceof ClaimAnswer.Held && record.leaseEnd() < leaseEnd
                    ? new Decision<>(right.answer(), Records.lease(record, leaseEnd))
                    : right;
        }
    }

    private static final class UnknownExpires extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            boolean over = record != null
                    && record.state() == RecordState.UNKNOWN
                    && now >= Math.max(record.fence(), record.leaseEnd()) + record.retention();
            return super.claim(over ? Records.expiry(record, now) : record, request, now);
        }
    }

    private static final class BirthRuleFirst extends Mutant {
        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            Decision<ClaimAnswer> asIfAbsent = super.claim(null, request, now);
            return asIfAbsent.answer() instanceof ClaimAnswer.OutOfTime
                    ? new Decision<>(asIfAbsent.answer(), record)
                    : super.claim(record, request, now);
        }
    }

    private static final class TruncatedKey extends Mutant {
        @Override
        Object key(RecordId id) {
            return id.toString().substring(0, 2);
        }
    }
}
