package io.oncegate.testkit;

import static io.oncegate.testkit.Broken.anywhere;
import static io.oncegate.testkit.Broken.race;
import static io.oncegate.testkit.Broken.written;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordMachine.Sweep;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores whose holders' calls or housekeeping are broken. */
final class BrokenHolders {
    private BrokenHolders() {}

    static Stream<Broken> all() {
        return List.of(
                anywhere("a holder's fence is checked", "the attempt is enough", new FenceUnchecked()),
                anywhere("a holder's attempt is checked", "the fence is enough", new AttemptUnchecked()),
                anywhere("a holder is checked at all", "whoever calls is the holder", new OwnerUnchecked()),
                anywhere(
                        "a holder stays holder until taken over",
                        "it is lost at its lease's end",
                        new LostAtLeaseEnd()),
                anywhere("a holder is lost after a retention", "it stays until taken over", new NeverLost()),
                anywhere(
                        "the old holder of an unknown outcome is done with",
                        "it may still settle",
                        new FirstHolderReconciles()),
                anywhere("a renewal counts from now", "it adds to the old lease's end", new RenewalAdds()),
                anywhere("a renewal moves the retention too", "it moves the lease alone", new RenewalKeepsExpiry()),
                anywhere(
                        "settling keeps the fingerprint",
                        "it forgets it",
                        settled(r -> Records.fingerprint(r, Fingerprint.none()))),
                anywhere(
                        "settling keeps the attempt",
                        "it forgets it",
                        settled(r -> Records.attempt(r, new AttemptId(0, 0)))),
                anywhere("the settlement's retention counts", "the claim's does", new ClaimsRetention()),
                anywhere("a settlement sent again is done", "it is refused", new SettleOnce()),
                anywhere("another settlement is refused", "the last one wins", new SettleOverwrites()),
                anywhere("another settlement is refused", "it is told as done", new SettleLies()),
                anywhere("a settled claim cannot be released", "it can", new ReleaseSettled()),
                written("bytes come back as they were", "they pass through text", settled(BrokenHolders::throughText)),
                anywhere("a released record keeps its fence", "the record goes", new ReleaseRemoves()),
                anywhere(
                        "a released key forgets its payload",
                        "it keeps it until the lease's end",
                        new ReleaseKeepsRunning()),
                anywhere("what somebody holds is not forgotten", "it is", new ForgetsHeld()),
                anywhere("a forgotten record keeps its fence", "the record goes", new ForgetRemoves()),
                anywhere("unknown outcomes are not purged", "they are", new PurgesUnknown()),
                anywhere(
                        "abandoned claims stay for a retention", "they go at their lease's end", new PurgesAbandoned()),
                anywhere(
                        "results that are over are dropped, tombstones stay",
                        "the record goes",
                        new PurgesTombstones()),
                anywhere("a record outlives its fence by the margin", "it goes at once", new PurgesEarly()),
                anywhere("what is due is purged", "nothing is", new PurgesNothing()),
                written("a purge keeps to its batch", "it takes all", new PurgesAll()),
                race("settling is atomic", "look first, record later", new Mutant() {
                    @Override
                    boolean isAtomic(@Nullable StoredRecord record, long now) {
                        return record == null || !(record.state() == RecordState.RUNNING && record.leased(now));
                    }
                }))
                .stream();
    }

    private static Mutant settled(UnaryOperator<StoredRecord> change) {
        return new Mutant() {
            @Override
            Decision<HolderAnswer> settle(
                    @Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
                Decision<HolderAnswer> right = super.settle(record, claim, settlement, now);
                return right.record() == null || right.record() == record
                        ? right
                        : new Decision<>(right.answer(), change.apply(right.record()));
            }
        };
    }

    private static StoredRecord throughText(StoredRecord r) {
        return r.result() == null
                ? r
                : Records.result(
                        r,
                        Payload.of(new String(r.result().bytes(), StandardCharsets.UTF_8)
                                .getBytes(StandardCharsets.UTF_8)),
                        r.resultUntil());
    }

    private static final class FenceUnchecked extends Mutant.OfClaims {
        @Override
        ClaimRef seen(StoredRecord record, ClaimRef claim, long now) {
            return new ClaimRef(claim.id(), record.fence(), claim.attempt());
        }
    }

    private static final class AttemptUnchecked extends Mutant.OfClaims {
        @Override
        ClaimRef seen(StoredRecord record, ClaimRef claim, long now) {
            return new ClaimRef(claim.id(), claim.fence(), record.attempt());
        }
    }

    private static final class OwnerUnchecked extends Mutant.OfClaims {
        @Override
        ClaimRef seen(StoredRecord record, ClaimRef claim, long now) {
            return new ClaimRef(claim.id(), record.fence(), record.attempt());
        }
    }

    private static final class LostAtLeaseEnd extends Mutant.OfClaims {
        @Override
        ClaimRef seen(StoredRecord record, ClaimRef claim, long now) {
            return RecordRow.of(record, now) == RecordRow.LEASE_OVER
                    ? new ClaimRef(claim.id(), claim.fence() - 1, claim.attempt())
                    : claim;
        }
    }

    private static final class NeverLost extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            boolean running = record != null && record.state() == RecordState.RUNNING;
            return super.settle(running ? Records.expiry(record, StoredRecord.NEVER) : record, claim, settlement, now);
        }
    }

    private static final class FirstHolderReconciles extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            boolean unknown = record != null && record.state() == RecordState.UNKNOWN && record.leaseEnd() == 0;
            return super.settle(unknown ? Records.lease(record, 1) : record, claim, settlement, now);
        }
    }

    private static final class RenewalAdds extends Mutant {
        @Override
        Decision<HolderAnswer> renew(@Nullable StoredRecord record, ClaimRef claim, Duration lease, long now) {
            Decision<HolderAnswer> right = super.renew(record, claim, lease, now);
            return record == null || right.record() == null || right.record() == record
                    ? right
                    : new Decision<>(
                            right.answer(),
                            Records.lease(right.record(), record.leaseEnd() + RecordMachine.micros(lease)));
        }
    }

    private static final class RenewalKeepsExpiry extends Mutant {
        @Override
        Decision<HolderAnswer> renew(@Nullable StoredRecord record, ClaimRef claim, Duration lease, long now) {
            Decision<HolderAnswer> right = super.renew(record, claim, lease, now);
            return record == null || right.record() == null || right.record() == record
                    ? right
                    : new Decision<>(right.answer(), Records.expiry(right.record(), record.expiresAt()));
        }
    }

    private static final class ClaimsRetention extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            Decision<HolderAnswer> right = super.settle(record, claim, settlement, now);
            return record == null
                            || right.record() == null
                            || right.record() == record
                            || !right.record().state().settled()
                    ? right
                    : new Decision<>(right.answer(), Records.expiry(right.record(), now + record.retention()));
        }
    }

    private static final class SettleOnce extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            Decision<HolderAnswer> right = super.settle(record, claim, settlement, now);
            return right.record() == record && right.answer() == HolderAnswer.DONE
                    ? new Decision<>(HolderAnswer.SETTLED, record)
                    : right;
        }
    }

    private static final class SettleOverwrites extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            Decision<HolderAnswer> right = super.settle(record, claim, settlement, now);
            return record != null
                            && right.answer() == HolderAnswer.SETTLED
                            && record.state().settled()
                    ? super.settle(
                            Records.expiry(Records.state(record, RecordState.RUNNING), StoredRecord.NEVER),
                            claim,
                            settlement,
                            now)
                    : right;
        }
    }

    private static final class SettleLies extends Mutant {
        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            Decision<HolderAnswer> right = super.settle(record, claim, settlement, now);
            return right.answer() == HolderAnswer.SETTLED ? new Decision<>(HolderAnswer.DONE, record) : right;
        }
    }

    private static final class ReleaseSettled extends Mutant {
        @Override
        Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
            boolean settled = record != null && record.state().settled();
            return super.release(settled ? Records.state(record, RecordState.RUNNING) : record, claim, now);
        }
    }

    private static final class ReleaseRemoves extends Mutant {
        @Override
        Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
            Decision<HolderAnswer> right = super.release(record, claim, now);
            return right.answer() == HolderAnswer.DONE ? new Decision<>(right.answer(), null) : right;
        }
    }

    private static final class ReleaseKeepsRunning extends Mutant {
        @Override
        Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
            Decision<HolderAnswer> right = super.release(record, claim, now);
            return record != null && right.answer() == HolderAnswer.DONE
                    ? new Decision<>(right.answer(), Records.lease(record, now))
                    : right;
        }
    }

    private static final class ForgetsHeld extends Mutant {
        @Override
        Decision<ForgetAnswer> forget(@Nullable StoredRecord record, long now) {
            return super.forget(record == null ? null : Records.lease(record, 0), now);
        }
    }

    private static final class ForgetRemoves extends Mutant {
        @Override
        Decision<ForgetAnswer> forget(@Nullable StoredRecord record, long now) {
            Decision<ForgetAnswer> right = super.forget(record, now);
            return right.answer() == ForgetAnswer.FORGOTTEN ? new Decision<>(right.answer(), null) : right;
        }
    }

    private static final class PurgesUnknown extends Mutant {
        @Override
        Sweep sweep(StoredRecord record, long now, long margin) {
            return record.state() == RecordState.UNKNOWN && now >= record.fence() + margin
                    ? Sweep.DELETE
                    : super.sweep(record, now, margin);
        }
    }

    private static final class PurgesAbandoned extends Mutant {
        @Override
        Sweep sweep(StoredRecord record, long now, long margin) {
            return record.state() == RecordState.RUNNING && !record.leased(now)
                    ? Sweep.DELETE
                    : super.sweep(record, now, margin);
        }
    }

    private static final class PurgesTombstones extends Mutant {
        @Override
        Sweep sweep(StoredRecord record, long now, long margin) {
            Sweep right = super.sweep(record, now, margin);
            return right == Sweep.DROP_RESULT ? Sweep.DELETE : right;
        }
    }

    private static final class PurgesEarly extends Mutant {
        @Override
        Sweep sweep(StoredRecord record, long now, long margin) {
            return super.sweep(record, now, 0);
        }
    }

    private static final class PurgesNothing extends Mutant {
        @Override
        Sweep sweep(StoredRecord record, long now, long margin) {
            return Sweep.KEEP;
        }
    }

    private static final class PurgesAll extends Mutant {
        @Override
        int limit(int limit) {
            return Integer.MAX_VALUE;
        }
    }
}
