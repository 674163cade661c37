package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordMachine.Sweep;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The decisions of a {@link MachineStore}: right ones, of which a broken store overrides one. */
class Mutant {
    Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
        return RecordMachine.claim(record, request, now);
    }

    Decision<HolderAnswer> renew(@Nullable StoredRecord record, ClaimRef claim, Duration lease, long now) {
        return RecordMachine.renew(record, claim, lease, now);
    }

    Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
        return RecordMachine.settle(record, claim, settlement, now);
    }

    Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
        return RecordMachine.release(record, claim, now);
    }

    Decision<ForgetAnswer> forget(@Nullable StoredRecord record, long now) {
        return RecordMachine.forget(record, now);
    }

    Sweep sweep(StoredRecord record, long now, long margin) {
        return RecordMachine.sweep(record, now, margin);
    }

    int limit(int limit) {
        return limit;
    }

    Object key(RecordId id) {
        return id;
    }

    boolean isAtomic(@Nullable StoredRecord record, long now) {
        return true;
    }

    /** Sees every holder's call as if it came with another claim. */
    abstract static class OfClaims extends Mutant {
        abstract ClaimRef seen(StoredRecord record, ClaimRef claim, long now);

        private ClaimRef see(@Nullable StoredRecord record, ClaimRef claim, long now) {
            return record == null ? claim : seen(record, claim, now);
        }

        @Override
        Decision<HolderAnswer> renew(@Nullable StoredRecord record, ClaimRef claim, Duration lease, long now) {
            return super.renew(record, see(record, claim, now), lease, now);
        }

        @Override
        Decision<HolderAnswer> settle(@Nullable StoredRecord record, ClaimRef claim, Settlement settlement, long now) {
            return super.settle(record, see(record, claim, now), settlement, now);
        }

        @Override
        Decision<HolderAnswer> release(@Nullable StoredRecord record, ClaimRef claim, long now) {
            return super.release(record, see(record, claim, now), now);
        }
    }

    /** Does not compare the payload in one row. */
    static final class OfPayload extends Mutant {
        private final RecordRow row;

        OfPayload(RecordRow row) {
            this.row = row;
        }

        @Override
        Decision<ClaimAnswer> claim(@Nullable StoredRecord record, ClaimRequest request, long now) {
            return record != null && RecordRow.of(record, now) == row
                    ? super.claim(record, request.withFingerprint(record.fingerprint()), now)
                    : super.claim(record, request, now);
        }
    }

    /** Reads first and writes later in one row. */
    static final class OfAtomicity extends Mutant {
        private final RecordRow row;

        OfAtomicity(RecordRow row) {
            this.row = row;
        }

        @Override
        boolean isAtomic(@Nullable StoredRecord record, long now) {
            return RecordRow.of(record, now) != row;
        }
    }
}
