package io.oncegate.core;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ladder: same-transaction mode, whose store judges, behind a fast store that answers repetitions and keeps twins away.
 *
 * <ol>
 *   <li>Claim in the fast store; without an answer go on. Held: the caller is held. Settled: its answer. Another payload: the
 *       judge is asked, for a claim there does not say that it is the judge's.
 *   <li>The judge: record first, the payload checked again. Settled there: its answer.
 *   <li>The business, and its outcome in the record. Renewals of the fast claim stop before that is written.
 *   <li>Once the commit is known the fast claim is settled, within its lease, for less than the judge's record lasts. Nothing
 *       else writes answers into the fast store.
 *   <li>After a rollback the fast claim is released. If nobody knows, it is left to run out.
 * </ol>
 *
 * <p>The fast store is only ever believed when it says <em>wait</em> or gives an answer that the judge has committed; it is
 * never believed when it says that a key is free.
 */
final class LadderOncegate extends SameTransactionOncegate {
    private final FastStore fast;
    private final Map<RecordId, Thread> inTransactions = new ConcurrentHashMap<>();

    LadderOncegate(
            FastStore fast,
            TransactionalRecordStore judge,
            Results results,
            Events events,
            Threads threads,
            Duration settleFor) {
        super(judge, results, events, threads, settleFor);
        this.fast = fast;
    }

    static void requireTwoStores(RecordStore fast, TransactionalRecordStore judge) {
        if (fast.name().equals(judge.name())) {
            throw new IllegalArgumentException("the fast store and the judge of a ladder are both " + judge.name()
                    + ", and records of one would stand in for the other's; take another store, or another table");
        }
    }

    @Override
    public void check(Operation<?> operation) {
        requireRungs(operation);
        super.check(operation);
    }

    private static void requireRungs(Operation<?> operation) {
        if (operation.settings().recordLate()) {
            throw new IllegalArgumentException(
                    "operation " + operation.name()
                            + ": the judge of a ladder writes the record first; leave recordLate() away, or use same-transaction mode");
        }
        if (operation.retention().compareTo(operation.lease()) <= 0) {
            throw new IllegalArgumentException("operation " + operation.name() + ": the retention "
                    + operation.retention() + " is no longer than the lease " + operation.lease()
                    + ", so that the fast store could never answer; shorten the lease, or use same-transaction mode");
        }
    }

    @Override
    <T> Begun<T> tryBegin(Call<T> call, AttemptId attempt) {
        requireOwnPolicies(call.operation());
        requireRungs(call.operation());
        if (inTransactions.get(call.key().id()) == Thread.currentThread()) {
            // A call within the transaction that runs or has run the key: only the judge sees what is not committed
            // yet.
            return begin(call, attempt, FastSide.NONE);
        }
        Asked asked = fast.claim(call.key(), fastRequest(call, attempt));
        if (asked == null) {
            return begin(call, attempt, FastSide.NONE);
        }
        if (asked.answer() instanceof ClaimAnswer.Granted granted) {
            return throughJudge(call, attempt, claim(call, asked, granted.fence()));
        }
        if (asked.answer() instanceof ClaimAnswer.Held
                || asked.answer() instanceof ClaimAnswer.Replay
                || asked.answer() instanceof ClaimAnswer.NoResult) {
            return new Begun.Answered<>(outcome(call, asked.answer()));
        }
        if (asked.answer() instanceof ClaimAnswer.Mismatch) {
            return despiteMismatch(call, attempt);
        }
        // Anything else was not written by a ladder.
        return begin(call, attempt, FastSide.NONE);
    }

    /**
     * The other payload may be that of a claim which the judge is about to refuse, while ours is the one that runs or ran. If
     * the judge cannot tell, for a run has its row locked, and that claim is still there afterwards, it is taken for that run's;
     * unless the run has ended meanwhile, for then the judge can tell.
     */
    private <T> Begun<T> despiteMismatch(Call<T> call, AttemptId attempt) {
        JudgesWord first = new JudgesWord();
        Begun<T> begun = begin(call, attempt, first);
        if (!first.busy) {
            return begun;
        }
        Asked again = fast.claim(call.key(), fastRequest(call, attempt));
        if (again != null && again.answer() instanceof ClaimAnswer.Granted granted) {
            claim(call, again, granted.fence()).over();
        }
        if (again == null || !(again.answer() instanceof ClaimAnswer.Mismatch)) {
            return begun;
        }
        JudgesWord second = new JudgesWord();
        begun = begin(call, attempt, second);
        return second.busy ? new Begun.Answered<>(outcome(call, again.answer())) : begun;
    }

    /** Takes note whether the judge says that a run has its row locked, so that it has seen no payload. */
    private static final class JudgesWord implements FastSide {
        private boolean busy;

        @Override
        public void answered(RecordTransaction transaction, ClaimAnswer answer) {
            busy = answer instanceof ClaimAnswer.Held held && held.remaining().isZero();
        }
    }

    private <T> Begun<T> throughJudge(Call<T> call, AttemptId attempt, FastClaim claim) {
        try {
            return begin(call, attempt, claim);
        } catch (RuntimeException | Error e) {
            claim.over();
            throw e;
        }
    }

    private FastClaim claim(Call<?> call, Asked asked, long fence) {
        ClaimRequest request = asked.request();
        KeptLease lease = new KeptLease(
                fast.store(),
                threads,
                new ClaimRef(request.id(), fence, request.attempt()),
                request.lease(),
                asked.sentNanos(),
                call.operation().retention(),
                () -> {});
        return new FastClaim(fast, call.key(), lease, request.lease(), inTransactions);
    }

    /**
     * What the fast store is asked: with no retention, so that nothing of a claim is left after its lease; with no birth time,
     * for only the judge knows of records that answer all the same.
     */
    private ClaimRequest fastRequest(Call<?> call, AttemptId attempt) {
        ClaimRequest request = request(call, attempt);
        return new ClaimRequest(
                request.id(),
                request.operation(),
                request.fingerprint(),
                attempt,
                request.lease(),
                Duration.ZERO,
                0,
                null);
    }
}
