package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Claimed mode: the record lives apart from the effect.
 *
 * <p>A claim whose reply was lost is sent again under the same attempt and finds itself. A settle whose reply was lost is
 * sent again and is done twice as once. A settle that is refused because the claim was lost asks for the newer outcome; only
 * if the key is free again it claims it anew, with the same attempt, and settles without running.
 */
final class ClaimedOncegate extends AbstractOncegate {
    private static final int LOST_ROUNDS = 5;

    private final RecordStore store;
    private final LateSettles lateSettles;

    ClaimedOncegate(RecordStore store, Results results, Events events, Threads threads, Duration settleFor) {
        super(results, events, threads, settleFor);
        this.store = store;
        this.lateSettles = new LateSettles(store, threads);
    }

    RecordStore store() {
        return store;
    }

    @Override
    void requireMovable(Claim<?> claim) {
        // a claim in claimed mode is bound to no thread
    }

    @Override
    <T> Begun<T> tryBegin(Call<T> call, AttemptId attempt) {
        while (true) {
            Asked asked;
            try {
                asked = ask(request(call, attempt), this::claimTwice);
            } catch (StoreUnavailableException e) {
                return withoutStore(call, e);
            }
            if (asked.answer() instanceof ClaimAnswer.Granted granted) {
                if (granted.takeover()) {
                    events.tell(Kind.TAKEN_OVER, call.key());
                }
                return new Begun.Started<>(held(call, asked, granted.fence()));
            }
            if (!(asked.answer() instanceof ClaimAnswer.Reconcile reconcile)) {
                return new Begun.Answered<>(outcome(call, asked.answer()));
            }
            Outcome<T> found = reconcile(call, asked, reconcile);
            if (!(found instanceof Outcome.Failed)) {
                return new Begun.Answered<>(found);
            }
            // It was not done, and its key is free: run it.
        }
    }

    /** A lost reply or a fail-over in progress is common enough to ask once more; the attempt finds its own claim. */
    private ClaimAnswer claimTwice(ClaimRequest request) {
        try {
            return store.claim(request);
        } catch (StoreUnavailableException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return store.claim(request);
        }
    }

    private <T> Begun<T> withoutStore(Call<T> call, StoreUnavailableException e) {
        if (call.operation().settings().whenStoreDown() == WhenStoreDown.RUN_UNPROTECTED) {
            events.warn(Kind.UNPROTECTED, call.key(), "runs without protection, as the operation chose", e);
            return new Begun.Started<>(new UnprotectedClaim<>(call));
        }
        events.tell(Kind.STORE_DOWN, call.key());
        throw e;
    }

    private <T> HeldClaim<T> held(Call<T> call, Asked asked, long fence) {
        HeldClaim<T> claim = new HeldClaim<>(this, call, asked.request(), fence, asked.sentNanos());
        claim.keepLease();
        return claim;
    }

    /** The lease is not renewed: a reconciler that takes longer is not waited for, and another may be let in. */
    private <T> Outcome<T> reconcile(Call<T> call, Asked asked, ClaimAnswer.Reconcile let) {
        HeldClaim<T> claim = new HeldClaim<>(this, call, asked.request(), let.fence(), asked.sentNanos());
        Reconciler.Finding<T> finding = inquirer.find(call, claim, let, asked.sentNanos());
        if (finding instanceof Reconciler.Finding.Done<T> done) {
            return claim.reconciled(done.value());
        }
        return finding instanceof Reconciler.Finding.NotDone<T>
                ? claim.reconciledAsNotDone()
                : claim.stillUnknown(let.asked());
    }

    @Override
    Duration inquire(Call<?> call) {
        return inquireOnce(call);
    }

    private <T> Duration inquireOnce(Call<T> call) {
        Asked asked = ask(inquiry(call), this::claimTwice);
        if (!(asked.answer() instanceof ClaimAnswer.Reconcile let)) {
            return nextInquiry(asked.answer());
        }
        return nextInquiry(reconcile(call, asked, let));
    }

    /**
     * Ends a claim with an outcome.
     *
     * @param done what the caller is told if it is recorded
     */
    <T> Outcome<T> settle(HeldClaim<T> claim, Settlement settlement, Supplier<Outcome<T>> done) {
        return uninterrupted(() -> {
            try {
                HolderAnswer answer = settleFor(claim.ref(), settlement);
                claim.stopKeeping();
                return answer == HolderAnswer.DONE ? done.get() : afterLoss(claim, settlement, done);
            } catch (StoreUnavailableException e) {
                lateSettles.add(claim, settlement);
                events.warn(Kind.NOT_RECORDED, claim.key(), "the outcome could not be recorded in time", e);
                throw new OutcomeNotRecordedException(
                        claim.key().operation(),
                        "the store did not answer",
                        claim.key().digest(),
                        e);
            }
        });
    }

    private HolderAnswer settleFor(ClaimRef ref, Settlement settlement) {
        long deadline = System.nanoTime() + settleFor.toNanos();
        Backoff backoff = new Backoff(Duration.ofMillis(20));
        while (true) {
            try {
                return store.settle(ref, settlement);
            } catch (StoreUnavailableException e) {
                if (!pause(backoff, deadline)) {
                    throw e;
                }
            }
        }
    }

    /** The claim was lost before its outcome was recorded: the newer outcome counts, if there is one. */
    private <T> Outcome<T> afterLoss(HeldClaim<T> claim, Settlement settlement, Supplier<Outcome<T>> done) {
        events.tell(Kind.LOST, claim.key());
        Call<T> call = claim.call();
        boolean known = settlement.state() != RecordState.UNKNOWN;
        ClaimRequest again = known ? claim.request().knowing() : claim.request().afterBusiness();
        long deadline =
                System.nanoTime() + call.operation().settings().waitUpTo().toNanos();
        Backoff backoff = new Backoff(Duration.ofMillis(5));
        for (int round = 0; round < LOST_ROUNDS; round++) {
            ClaimAnswer answer = store.claim(again);
            long fence = fenceOf(answer);
            if (fence != 0) {
                ClaimRef ref = new ClaimRef(again.id(), fence, again.attempt());
                if (settleFor(ref, settlement) == HolderAnswer.DONE) {
                    return done.get();
                }
            } else if (answer instanceof ClaimAnswer.Held) {
                if (!pause(backoff, deadline)) {
                    return told(call, outcome(call, answer));
                }
                round--;
            } else if ((answer instanceof ClaimAnswer.Replay replay && replay.own())
                    || (answer instanceof ClaimAnswer.NoResult none && none.own())) {
                return done.get();
            } else if (answer instanceof ClaimAnswer.Mismatch) {
                break;
            } else {
                return told(call, outcome(call, answer));
            }
        }
        throw new OutcomeNotRecordedException(
                call.operation().name(),
                "the claim was lost to another request",
                call.key().digest(),
                null);
    }

    /** The fence of a claim under which what is known may be settled; 0 if it is none. */
    private static long fenceOf(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return granted.fence();
        }
        return answer instanceof ClaimAnswer.Reconcile reconcile ? reconcile.fence() : 0;
    }

    /** Frees a key; a store that cannot be reached frees it when the lease has run out. */
    void release(HeldClaim<?> claim) {
        Boolean ignored = uninterrupted(() -> {
            claim.stopKeeping();
            try {
                return store.release(claim.ref()) == HolderAnswer.DONE;
            } catch (StoreUnavailableException e) {
                events.warn(
                        Kind.STORE_DOWN, claim.key(), "not released; the key is free when its lease has run out", e);
                return false;
            }
        });
    }
}
