package io.oncegate.testkit;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Inquiry;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Follows one record of a store by {@link RecordMachine} and says whether the store's answers are right.
 *
 * <p>When exactly the store decided is not known, only that it was between two readings of its clock. So the record is kept
 * as if it had been written at the earliest moment, with the slack by which all its times may be later; and since a decision
 * depends on times only through their difference to the present, every decision of the store is one of the record kept here
 * at some moment from (earliest - slack) to the latest. An answer is right if one of these moments gives it. A grant tells the
 * store's time by its fence, which takes the slack away where the row is new.
 */
final class RecordOracle {
    private static final long NO_MOMENT = Long.MIN_VALUE;
    private static final long ROUNDING = TimeUnit.MILLISECONDS.toMicros(1);

    private @Nullable StoredRecord record;
    private long slack;

    /** The record, as if written at the earliest moment; null if there is none. */
    @Nullable
    StoredRecord record() {
        return record;
    }

    /** The row that the record is in, or null if the two readings leave it open. */
    @Nullable
    RecordRow row(long from, long to) {
        RecordRow row = RecordRow.of(record, from - slack);
        return row == RecordRow.of(record, to) ? row : null;
    }

    /** The latest moment at which the record, as it is kept here, may change by itself next; the present if it has. */
    long nextChange(long now) {
        StoredRecord present = record;
        if (present == null) {
            return now;
        }
        long next = Long.MAX_VALUE;
        for (long moment : new long[] {present.leaseEnd(), present.resultUntil(), present.expiresAt()}) {
            if (moment != StoredRecord.NEVER && moment + slack > now) {
                next = Math.min(next, moment + slack);
            }
        }
        return next == Long.MAX_VALUE ? now : next;
    }

    /** Whether this is a right answer to a claim between these readings; then follows it. */
    boolean claim(ClaimRequest request, ClaimAnswer actual, long from, long to) {
        long decided = findMoment(
                moment -> isRight(RecordMachine.claim(record, request, moment), actual, from, to),
                moments(from, to, birthMoments(request)));
        if (decided == NO_MOMENT) {
            return false;
        }
        StoredRecord after = RecordMachine.claim(record, request, decided).record();
        if (after != null && after != record) {
            followGrant(after, decided, fenceOf(actual), from, to);
        }
        return true;
    }

    boolean renew(ClaimRef claim, Duration lease, HolderAnswer actual, long from, long to) {
        return follow(moment -> RecordMachine.renew(record, claim, lease, moment), actual, from, to);
    }

    boolean settle(ClaimRef claim, Settlement settlement, HolderAnswer actual, long from, long to) {
        return follow(moment -> RecordMachine.settle(record, claim, settlement, moment), actual, from, to);
    }

    boolean release(ClaimRef claim, HolderAnswer actual, long from, long to) {
        return follow(moment -> RecordMachine.release(record, claim, moment), actual, from, to);
    }

    /** As the others; a record that no longer answers may also be gone already. */
    boolean forget(ForgetAnswer actual, long from, long to) {
        StoredRecord present = record;
        if (actual == ForgetAnswer.ABSENT && present != null && present.expired(to)) {
            return true;
        }
        return follow(moment -> RecordMachine.forget(record, moment), actual, from, to);
    }

    /**
     * Follows a sweep of all records that are due: whether this one certainly stays, certainly goes, or null. Never early, but a
     * store may be late by as much as the margin: its index of due records need not know each record's fence.
     */
    @Nullable
    Boolean sweep(long margin, long from, long to) {
        StoredRecord present = record;
        if (present == null) {
            return false;
        }
        long due = RecordMachine.purgeableAt(present, margin);
        if (due != StoredRecord.NEVER && due + margin + slack <= from) {
            record = null;
            slack = 0;
            return false;
        }
        return due > to ? true : null;
    }

    private <A> boolean follow(LongFunction<Decision<A>> machine, A actual, long from, long to) {
        long decided =
                findMoment(moment -> machine.apply(moment).answer().equals(actual), moments(from, to, new long[0]));
        if (decided == NO_MOMENT) {
            return false;
        }
        StoredRecord after = machine.apply(decided).record();
        if (after != null && after != record) {
            record = copy(after, after.fence(), from - decided);
            slack = to - from;
        }
        return true;
    }

    private static long findMoment(LongPredicate right, TreeSet<Long> moments) {
        return moments.stream()
                .mapToLong(Long::longValue)
                .filter(right)
                .findFirst()
                .orElse(NO_MOMENT);
    }

    /** Moments of which one falls between any two changes of mind. */
    private TreeSet<Long> moments(long from, long to, long[] more) {
        TreeSet<Long> moments = new TreeSet<>();
        long earliest = from - slack;
        moments.add(earliest);
        moments.add(to);
        StoredRecord present = record;
        if (present != null) {
            addBetween(moments, present.leaseEnd(), earliest, to);
            addBetween(moments, present.expiresAt(), earliest, to);
            addBetween(moments, present.resultUntil(), earliest, to);
        }
        for (long moment : more) {
            addBetween(moments, moment, earliest, to);
        }
        return moments;
    }

    private static void addBetween(TreeSet<Long> moments, long moment, long earliest, long to) {
        for (long near = moment - 1; near <= moment + 1; near++) {
            if (near >= earliest && near <= to) {
                moments.add(near);
            }
        }
    }

    private static long[] birthMoments(ClaimRequest request) {
        if (request.birth() == null) {
            return new long[0];
        }
        long born = TimeUnit.MILLISECONDS.toMicros(request.birth().bornAt().toEpochMilli());
        return new long[] {
            born + RecordMachine.micros(request.birth().limit()),
            born - RecordMachine.micros(request.birth().tolerance())
        };
    }

    private boolean isRight(Decision<ClaimAnswer> candidate, ClaimAnswer actual, long from, long to) {
        if (candidate.record() == record) {
            return isRightAnswer(candidate.answer(), actual, from, to);
        }
        long fence = fenceOf(actual);
        return isRightAnswer(candidate.answer(), withFence(actual, fenceOf(candidate.answer())), from, to)
                && fence >= RecordMachine.nextFence(record, from)
                && fence <= RecordMachine.nextFence(record, to);
    }

    /** Whether it is this answer, but for the time that is told with it; that is right if it is one between the readings. */
    private boolean isRightAnswer(ClaimAnswer right, ClaimAnswer actual, long from, long to) {
        StoredRecord present = record;
        if (present == null) {
            return right.equals(actual);
        } else if (right instanceof ClaimAnswer.Held && actual instanceof ClaimAnswer.Held held) {
            return held.remaining().isZero() || isLeft(held.remaining(), present.leaseEnd(), from, to);
        } else if (right instanceof ClaimAnswer.Replay && actual instanceof ClaimAnswer.Replay replay) {
            long until = Math.min(present.resultUntil(), present.expiresAt());
            return Untimed.of(right).equals(Untimed.of(actual)) && isLeft(replay.remaining(), until, from, to);
        } else if (right instanceof ClaimAnswer.NoResult && actual instanceof ClaimAnswer.NoResult none) {
            return Untimed.of(right).equals(Untimed.of(actual))
                    && isLeft(none.remaining(), present.expiresAt(), from, to);
        } else if (right instanceof ClaimAnswer.Unknown wanted && actual instanceof ClaimAnswer.Unknown unknown) {
            return wanted.pause().isZero() == unknown.pause().isZero()
                    && (unknown.pause().isZero() || isLeft(unknown.pause(), present.resultUntil(), from, to));
        } else if (right instanceof ClaimAnswer.Reconcile wanted && actual instanceof ClaimAnswer.Reconcile told) {
            long claimed = Inquiry.of(present).claimedAt();
            long age = RecordMachine.micros(told.age());
            return wanted.fence() == told.fence()
                    && wanted.asked() == told.asked()
                    && age >= Math.max(0, from - claimed - ROUNDING)
                    && age <= Math.max(0, to - claimed) + ROUNDING;
        }
        return right.equals(actual);
    }

    /** Whether so much was left until this moment, as the record is kept here, some time between the readings. */
    private boolean isLeft(Duration told, long until, long from, long to) {
        long left = RecordMachine.micros(told);
        return left >= until - to - ROUNDING && left <= until + slack - from + ROUNDING;
    }

    /** A new claim: its fence is the store's time, unless the last one's was later. */
    private void followGrant(StoredRecord after, long decided, long fence, long from, long to) {
        StoredRecord before = record;
        boolean timeIsTold = before == null || fence > before.fence() + 1;
        long earliest = timeIsTold ? fence : from;
        record = copy(after, fence, earliest - decided);
        // A statement that writes over a row may read the clock for each column anew, after it has read it for the
        // fence.
        long later = before == null ? 0 : to - fence;
        slack = Math.max(0, timeIsTold ? later : Math.min(to, fence) - from);
    }

    private static long fenceOf(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return granted.fence();
        }
        return answer instanceof ClaimAnswer.Reconcile reconcile ? reconcile.fence() : -1;
    }

    private static ClaimAnswer withFence(ClaimAnswer answer, long fence) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return new ClaimAnswer.Granted(fence, granted.takeover());
        }
        return answer instanceof ClaimAnswer.Reconcile told
                ? new ClaimAnswer.Reconcile(fence, told.asked(), told.age())
                : answer;
    }

    /** The record with this fence, and all its times later by so much. */
    private static StoredRecord copy(StoredRecord record, long fence, long by) {
        return new StoredRecord(
                record.operation(),
                record.state(),
                fence,
                record.attempt(),
                record.fingerprint(),
                record.leaseEnd() == 0 ? 0 : record.leaseEnd() + by,
                record.retention(),
                record.expiresAt() == StoredRecord.NEVER ? StoredRecord.NEVER : record.expiresAt() + by,
                record.result(),
                record.resultUntil() == 0 ? 0 : record.resultUntil() + by);
    }
}
