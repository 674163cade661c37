package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The decisions of a {@link MachineLockStore}: right ones, of which a broken store overrides one. */
class LockMutant {
    /** The row as the store believes it to be when it is asked for it. */
    @Nullable
    LockRow seen(@Nullable LockRow row, long now) {
        return row;
    }

    /** The row as the store keeps it after a grant or a passing. */
    LockRow granted(LockRow after, @Nullable LockRow before, LockRequest request, long now) {
        return after;
    }

    /** The claim of a holder as the store sees it. */
    ClaimRef claim(@Nullable LockRow row, ClaimRef held, long now) {
        return held;
    }

    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
        Decision<LockAnswer> decision = LockMachine.acquire(seen(row, now), request, now);
        LockRow after = decision.row();
        if (after == null || !(decision.answer() instanceof LockAnswer.Granted) || isAgain(row, after)) {
            return decision;
        }
        LockRow kept = granted(after, row, request, now);
        return new Decision<>(new LockAnswer.Granted(kept.fence()), kept);
    }

    private static boolean isAgain(@Nullable LockRow row, LockRow after) {
        return row != null && row.fence() == after.fence();
    }

    Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
        return LockMachine.renew(seen(row, now), claim(row, held, now), lease, now);
    }

    Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
        return LockMachine.end(seen(row, now), claim(row, held, now), end, now);
    }

    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
        Decision<OptionalLong> decision = LockMachine.pass(seen(row, now), claim(row, held, now), next, now);
        LockRow after = decision.row();
        if (after == null || decision.answer().isEmpty() || isAgain(row, after)) {
            return decision;
        }
        LockRow kept = granted(after, row, next, now);
        return new Decision<>(OptionalLong.of(kept.fence()), kept);
    }

    boolean forgettable(LockRow row, long now, long margin) {
        return LockMachine.forgettable(row, now, margin);
    }

    Object key(RecordId id) {
        return id;
    }

    boolean isAtomic(@Nullable LockRow row, long now) {
        return true;
    }

    boolean signals(LockEnd end) {
        return true;
    }

    boolean closesWatches() {
        return true;
    }

    static LockRow timed(LockRow row, long leaseEnd, long windowEnd) {
        return new LockRow(
                row.attempt(),
                row.fence(),
                row.ended(),
                leaseEnd,
                windowEnd,
                row.result(),
                row.resultFence(),
                row.resultUntil());
    }

    static LockRow numbered(LockRow row, long fence) {
        return new LockRow(
                row.attempt(),
                fence,
                row.ended(),
                row.leaseEnd(),
                row.windowEnd(),
                row.result(),
                row.resultFence(),
                row.resultUntil());
    }

    static LockRow owned(LockRow row, AttemptId attempt) {
        return new LockRow(
                attempt,
                row.fence(),
                row.ended(),
                row.leaseEnd(),
                row.windowEnd(),
                row.result(),
                row.resultFence(),
                row.resultUntil());
    }

    static LockRow resulting(LockRow row, @Nullable Payload result, long fence, long until) {
        return new LockRow(
                row.attempt(), row.fence(), row.ended(), row.leaseEnd(), row.windowEnd(), result, fence, until);
    }
}
