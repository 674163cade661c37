package io.oncegate.core.lock;

import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lock's state machine: what a lock becomes and what the asker is told, as pure functions of the lock, the question and
 * the store's time in microseconds. Stores call it, or do the same in their backend's language and are held to it by the
 * contract in oncegate-testkit. Thread-safe: it has no state.
 *
 * <p>A lease that is over is over, also if nobody else came: the holder is told that it has lost, for it has worked without
 * knowing whether it was alone.
 */
public final class LockMachine {
    private LockMachine() {}

    /**
     * A decision.
     *
     * @param answer what the asker is told
     * @param row what the lock is afterwards: the same object if it is untouched, null if there is none
     */
    public record Decision<A>(A answer, @Nullable LockRow row) {}

    /** Decides an attempt to acquire. */
    public static Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
        if (row == null) {
            return granted(null, request, now);
        }
        if (row.attempt().equals(request.attempt()) && !row.ended() && now < row.leaseEnd()) {
            LockRow again = leased(row, now + RecordMachine.micros(request.lease()));
            return new Decision<>(new LockAnswer.Granted(row.fence()), again);
        }
        boolean held = now < row.heldUntil();
        if (request.takesResult()) {
            boolean inWindow = held && row.ended();
            long since = inWindow ? row.fence() : request.metFence();
            Payload result = since == 0 ? null : row.resultSince(since, now);
            if (result != null) {
                return new Decision<>(new LockAnswer.Result(result), row);
            }
        }
        if (held) {
            Duration left = RecordMachine.micros(row.heldUntil() - now);
            return new Decision<>(new LockAnswer.Held(left, row.fence(), row.ended()), row);
        }
        return granted(row, request, now);
    }

    private static Decision<LockAnswer> granted(@Nullable LockRow row, LockRequest request, long now) {
        LockRow next = grant(row, request, now);
        return new Decision<>(new LockAnswer.Granted(next.fence()), next);
    }

    private static LockRow grant(@Nullable LockRow row, LockRequest request, long now) {
        return new LockRow(
                request.attempt(),
                row == null ? now : Math.max(row.fence() + 1, now),
                false,
                now + RecordMachine.micros(request.lease()),
                request.window() == null ? 0 : now + RecordMachine.micros(request.window()),
                row == null ? null : row.result(),
                row == null ? 0 : row.resultFence(),
                row == null ? 0 : row.resultUntil());
    }

    /** Decides a renewal. */
    public static Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
        if (row == null || !row.heldBy(held, now)) {
            return new Decision<>(HolderAnswer.LOST, row);
        }
        return new Decision<>(HolderAnswer.DONE, leased(row, now + RecordMachine.micros(lease)));
    }

    private static LockRow leased(LockRow row, long leaseEnd) {
        return new LockRow(
                row.attempt(),
                row.fence(),
                false,
                leaseEnd,
                row.windowEnd(),
                row.result(),
                row.resultFence(),
                row.resultUntil());
    }

    /** Decides the end of a hold. */
    public static Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
        if (row == null || !row.isOf(held) || (!row.ended() && now >= row.leaseEnd())) {
            return new Decision<>(HolderAnswer.LOST, row);
        }
        if (row.ended()) {
            return new Decision<>(HolderAnswer.DONE, row);
        }
        long windowEnd = end.completed() ? row.windowEnd() : 0;
        Payload result = end.result();
        return new Decision<>(
                HolderAnswer.DONE,
                new LockRow(
                        row.attempt(),
                        row.fence(),
                        true,
                        0,
                        windowEnd,
                        result == null ? row.result() : result,
                        result == null ? row.resultFence() : row.fence(),
                        result == null
                                ? row.resultUntil()
                                : Math.max(windowEnd, now + RecordMachine.micros(end.resultRetention()))));
    }

    /** Decides a passing on. */
    public static Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
        if (row != null
                && row.attempt().equals(next.attempt())
                && row.fence() > held.fence()
                && !row.ended()
                && now < row.leaseEnd()) {
            return new Decision<>(OptionalLong.of(row.fence()), row); // sent again
        }
        if (row == null || !row.heldBy(held, now) || now < row.windowEnd()) {
            return new Decision<>(OptionalLong.empty(), row);
        }
        LockRow passed = grant(row, next, now);
        return new Decision<>(OptionalLong.of(passed.fence()), passed);
    }

    /** Whether a lock may be forgotten: nothing of it counts any more, and its fence is past by this margin. */
    public static boolean forgettable(LockRow row, long now, long marginMicros) {
        return now >= Math.max(row.heldUntil(), row.resultUntil()) && now - marginMicros >= row.fence();
    }
}
