package io.oncegate.testkit;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows one lock of a store by {@link LockMachine} and says whether the store's answers are right.
 *
 * <p>When exactly the store decided is not known, only that it was between two readings of its clock. So each of the lock's
 * times is kept as two rows: as early and as late as it can be. A decision depends on a time only by whether it has come. An
 * answer is right if the machine gives it in one of the cases that are possible; a grant tells the store's time by its fence
 * and makes the times exact again.
 */
final class LockOracle {
    private static final long ROUNDING = TimeUnit.MILLISECONDS.toMicros(1);
    /** The moment of the machine's decision in every case, and a time that has come and one that has not. */
    private static final long NOW = 1_000_000_000_000L;

    private static final long PAST = NOW - 1;
    private static final long FUTURE = 3 * NOW;

    private final long margin;
    private @Nullable LockRow early;
    private @Nullable LockRow late;
    private boolean maybeForgotten;
    private boolean resultMaybeGone;

    /** Follows a lock that nobody has asked for yet, in a store that forgets what is over after this margin. */
    LockOracle(Duration margin) {
        this.margin = RecordMachine.micros(margin);
    }

    /** The store's clock has come this far: what it may have forgotten by now stays forgotten if the clock steps back. */
    void seen(long now) {
        LockRow first = early;
        if (first != null && LockMachine.forgettable(first, now, margin)) {
            maybeForgotten = true;
            resultMaybeGone = true;
        }
    }

    /** The lock, with its times as early as they can be; null if there is none. */
    @Nullable
    LockRow row() {
        return early;
    }

    /** The row of the table that the lock is in, or null if the two readings leave it open. */
    @Nullable
    LockState state(long from, long to) {
        LockRow first = early;
        LockRow last = late;
        if (first == null || last == null) {
            return LockState.ABSENT;
        }
        LockState state = LockState.of(first, to);
        return state == LockState.of(last, from) ? state : null;
    }

    /** The latest moment at which the lock may change by itself next; the present if it does not. */
    long nextChange(long now) {
        LockRow last = late;
        if (last == null) {
            return now;
        }
        long next = Long.MAX_VALUE;
        for (long moment : new long[] {last.leaseEnd(), last.windowEnd(), last.resultUntil()}) {
            if (moment > now) {
                next = Math.min(next, moment);
            }
        }
        return next == Long.MAX_VALUE ? now : next;
    }

    /** Whether this is a right answer between these readings; then follows it. */
    boolean acquire(LockRequest request, LockAnswer actual, long from, long to) {
        for (LockRow possible : cases(from, to)) {
            Decision<LockAnswer> decision = LockMachine.acquire(possible, request, NOW);
            LockAnswer expected = decision.answer();
            if (expected instanceof LockAnswer.Granted && actual instanceof LockAnswer.Granted granted) {
                long present = early == null ? 0 : early.fence();
                LockRow after = decision.row();
                boolean again = early != null && after != null && after.fence() == present;
                if (again ? granted.fence() == present : isNext(granted.fence(), from, to)) {
                    if (again) {
                        renewed(request.lease(), from, to);
                    } else {
                        granted(request, granted.fence(), from, to);
                    }
                    return true;
                }
            } else if (expected instanceof LockAnswer.Held held && actual instanceof LockAnswer.Held told) {
                if (held.fence() == told.fence() && held.completed() == told.completed() && isLeft(told, from, to)) {
                    return true;
                }
            } else if (expected.equals(actual)) {
                return true;
            }
        }
        return false;
    }

    boolean renew(ClaimRef held, Duration lease, HolderAnswer actual, long from, long to) {
        if (!isPossible(row -> LockMachine.renew(row, held, lease, NOW).answer(), actual, from, to)) {
            return false;
        }
        if (actual == HolderAnswer.DONE) {
            renewed(lease, from, to);
        }
        return true;
    }

    boolean end(ClaimRef held, LockEnd end, HolderAnswer actual, long from, long to) {
        if (!isPossible(row -> LockMachine.end(row, held, end, NOW).answer(), actual, from, to)) {
            return false;
        }
        LockRow first = early;
        LockRow last = late;
        if (actual == HolderAnswer.DONE && first != null && last != null && !first.ended()) {
            early = ended(first, end, from);
            late = ended(last, end, to);
            maybeForgotten = false;
            resultMaybeGone &= end.result() == null;
        }
        return true;
    }

    boolean pass(ClaimRef held, LockRequest next, OptionalLong actual, long from, long to) {
        for (LockRow possible : cases(from, to)) {
            Decision<OptionalLong> decision = LockMachine.pass(possible, held, next, NOW);
            if (decision.answer().isEmpty() && actual.isEmpty()) {
                return true;
            }
            if (decision.answer().isPresent() && actual.isPresent()) {
                boolean again = decision.row() == possible;
                long fence = actual.getAsLong();
                if (again ? fence == decision.answer().getAsLong() : isNext(fence, from, to)) {
                    if (!again) {
                        granted(next, fence, from, to);
                    }
                    return true;
                }
            }
        }
        return false;
    }

    private <A> boolean isPossible(Function<@Nullable LockRow, A> machine, A actual, long from, long to) {
        return cases(from, to).stream().anyMatch(row -> machine.apply(row).equals(actual));
    }

    /** The lock as the machine may have met it: with each time come, not come, or both. One null if there is none. */
    private List<@Nullable LockRow> cases(long from, long to) {
        List<@Nullable LockRow> cases = new ArrayList<>();
        LockRow first = early;
        LockRow last = late;
        if (first == null || last == null) {
            cases.add(null);
            return cases;
        }
        seen(to);
        if (maybeForgotten) {
            cases.add(null);
        }
        for (long lease : times(first.leaseEnd(), last.leaseEnd(), from, to)) {
            for (long window : times(first.windowEnd(), last.windowEnd(), from, to)) {
                for (long result : resultTimes(first.resultUntil(), last.resultUntil(), from, to)) {
                    cases.add(timed(first, first.fence(), lease, window, result));
                }
            }
        }
        return cases;
    }

    private static List<Long> times(long earliest, long latest, long from, long to) {
        if (latest <= from) {
            return List.of(PAST);
        }
        return earliest > to ? List.of(FUTURE) : List.of(PAST, FUTURE);
    }

    private List<Long> resultTimes(long earliest, long latest, long from, long to) {
        List<Long> times = times(earliest, latest, from, to);
        return resultMaybeGone && times.contains(FUTURE) ? List.of(PAST, FUTURE) : times;
    }

    /** A fence is the store's time, unless the last one is not below it. */
    private boolean isNext(long fence, long from, long to) {
        LockRow present = early;
        long least = present == null ? Long.MIN_VALUE : present.fence() + 1;
        return fence >= Math.max(least, from) && fence <= Math.max(least, to);
    }

    private boolean isLeft(LockAnswer.Held told, long from, long to) {
        LockRow first = early;
        LockRow last = late;
        if (first == null || last == null || told.left().isZero() || told.left().isNegative()) {
            return false;
        }
        long left = RecordMachine.micros(told.left());
        return left >= first.heldUntil() - to - ROUNDING && left <= last.heldUntil() - from + ROUNDING;
    }

    private void granted(LockRequest request, long fence, long from, long to) {
        LockRow present = early;
        boolean timeIsTold = present == null || fence > present.fence() + 1;
        LockRow last = late;
        early = granted(present, request, fence, timeIsTold ? fence : from);
        late = granted(last, request, fence, timeIsTold ? fence : to);
        maybeForgotten = false;
    }

    private static LockRow granted(@Nullable LockRow before, LockRequest request, long fence, long moment) {
        return new LockRow(
                request.attempt(),
                fence,
                false,
                moment + RecordMachine.micros(request.lease()),
                request.window() == null ? 0 : moment + RecordMachine.micros(request.window()),
                before == null ? null : before.result(),
                before == null ? 0 : before.resultFence(),
                before == null ? 0 : before.resultUntil());
    }

    private void renewed(Duration lease, long from, long to) {
        LockRow first = early;
        LockRow last = late;
        if (first != null && last != null) {
            long micros = RecordMachine.micros(lease);
            early = timed(first, first.fence(), from + micros, first.windowEnd(), first.resultUntil());
            late = timed(last, last.fence(), to + micros, last.windowEnd(), last.resultUntil());
            maybeForgotten = false;
        }
    }

    private static LockRow ended(LockRow row, LockEnd end, long moment) {
        long window = end.completed() ? row.windowEnd() : 0;
        boolean hasResult = end.result() != null;
        long until = Math.max(window, moment + RecordMachine.micros(end.resultRetention()));
        return new LockRow(
                row.attempt(),
                row.fence(),
                true,
                0,
                window,
                hasResult ? end.result() : row.result(),
                hasResult ? row.fence() : row.resultFence(),
                hasResult ? until : row.resultUntil());
    }

    private static LockRow timed(LockRow row, long fence, long leaseEnd, long windowEnd, long resultUntil) {
        return new LockRow(
                row.attempt(), fence, row.ended(), leaseEnd, windowEnd, row.result(), row.resultFence(), resultUntil);
    }
}
