package io.oncegate.core;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.MarkAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMarker;
import io.oncegate.core.spi.RecordStore;
import java.time.Duration;

/**
 * Forgets records of a ladder, for an operator who knows that nothing has happened, or that it shall happen again.
 * Thread-safe.
 *
 * <p>In the one order after which no old answer comes back: the judge's record is marked, so that its key is held; the fast
 * store's is deleted, when those who had read the old answer have ended; the judge's is freed. Who dies or fails half way
 * leaves a record that neither runs nor is replayed by the judge; forget it again.
 */
public final class LadderForget {
    /** How long one waits for those who hold a claim in the fast store. */
    static final Duration WAIT = Duration.ofSeconds(5);

    private static final Duration MARK = Duration.ofSeconds(30);

    private final RecordBrowser fast;
    private final RecordStore judge;
    private final RecordMarker marker;

    private LadderForget(RecordBrowser fast, RecordStore judge, RecordMarker marker) {
        this.fast = fast;
        this.judge = judge;
        this.marker = marker;
    }

    /**
     * For the records of a ladder.
     *
     * @param fast the ladder's fast store
     * @param judge a store on the judge's table
     */
    public static <J extends RecordStore & RecordMarker> LadderForget of(RecordBrowser fast, J judge) {
        return new LadderForget(fast, judge, judge);
    }

    /**
     * Forgets a record in both stores.
     *
     * @return {@code FORGOTTEN} if its key can be run again; {@code ABSENT} if there was nothing; {@code HELD} if somebody
     *     holds it in either store, or is forgetting it: ask again when his lease is over
     * @throws StoreUnavailableException if a store does not answer; forget it again
     */
    public ForgetAnswer forget(RecordId id) {
        // Once before anything is marked: a store that is down, or a run, is found while nothing is changed.
        if (fast.forget(id) == ForgetAnswer.HELD) {
            return ForgetAnswer.HELD;
        }
        AttemptId attempt = AttemptId.random();
        MarkAnswer mark = marker.mark(id, attempt, MARK);
        if (mark instanceof MarkAnswer.Held || !forgottenAtFast(id)) {
            return ForgetAnswer.HELD;
        }
        if (!(mark instanceof MarkAnswer.Marked marked)) {
            return ForgetAnswer.ABSENT;
        }
        HolderAnswer freed = judge.release(new ClaimRef(id, marked.fence(), attempt));
        return freed == HolderAnswer.DONE ? ForgetAnswer.FORGOTTEN : ForgetAnswer.HELD;
    }

    /** A claim there may be that of one who has read the old answer and is about to settle with it. */
    private boolean forgottenAtFast(RecordId id) {
        long deadline = System.nanoTime() + WAIT.toNanos();
        Backoff backoff = new Backoff(Duration.ofMillis(5));
        while (fast.forget(id) == ForgetAnswer.HELD) {
            if (!AbstractOncegate.pause(backoff, deadline)) {
                return false;
            }
        }
        return true;
    }
}
