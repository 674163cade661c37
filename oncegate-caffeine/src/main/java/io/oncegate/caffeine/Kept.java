package io.oncegate.caffeine;

import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Weigher;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A settled record, as the store has answered it. Immutable.
 *
 * @param fingerprint what was asked for
 * @param state succeeded or refused
 * @param result the result, or null without one
 * @param until until when it is kept, by the cache's ticker
 * @param goodUntil until when the store would give it, by the cache's ticker; no earlier
 */
record Kept(
        Fingerprint fingerprint,
        RecordState state,
        @Nullable Payload result,
        long until,
        long goodUntil) {
    /** About what an entry takes besides fingerprint and result: objects, map and queues. */
    private static final int OVERHEAD = 300;

    static final Weigher<RecordId, Kept> WEIGHER = (id, kept) -> OVERHEAD
            + kept.fingerprint().toBytes().length
            + (kept.result() == null ? 0 : kept.result().size());

    /** Each goes when it is no longer good; reading it changes nothing. */
    static final Expiry<RecordId, Kept> EXPIRY = new Expiry<>() {
        @Override
        public long expireAfterCreate(RecordId id, Kept kept, long now) {
            return Math.max(0, kept.until() - now);
        }

        @Override
        public long expireAfterUpdate(RecordId id, Kept kept, long now, long left) {
            return Math.max(0, kept.until() - now);
        }

        @Override
        public long expireAfterRead(RecordId id, Kept kept, long now, long left) {
            return left;
        }
    };

    /** What is kept of an answer, or null if that says that the record is not settled. */
    static @Nullable Kept of(Fingerprint asked, ClaimAnswer answer, long sent, Duration atMost) {
        if (answer instanceof ClaimAnswer.Replay replay) {
            return kept(asked, replay.state(), replay.result(), sent, replay.remaining(), atMost);
        }
        return answer instanceof ClaimAnswer.NoResult none
                ? kept(asked, none.state(), null, sent, none.remaining(), atMost)
                : null;
    }

    private static Kept kept(
            Fingerprint asked, RecordState state, @Nullable Payload result, long sent, Duration good, Duration atMost) {
        Duration kept = good.compareTo(atMost) < 0 ? good : atMost;
        return new Kept(asked, state, result, sent + kept.toNanos(), sent + good.toNanos());
    }

    /** The answer to one who asks for the same, and has not settled it. */
    ClaimAnswer answer(long now) {
        Duration remaining = Duration.ofNanos(goodUntil - now);
        return result == null
                ? new ClaimAnswer.NoResult(state, false, remaining)
                : new ClaimAnswer.Replay(state, result, false, remaining);
    }
}
