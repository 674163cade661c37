package io.oncegate.core.spi;

import io.oncegate.core.key.Fingerprint;
import java.time.Duration;

/** A store's answer to a claim. Every answer but {@link Granted} and {@link Reconcile} has left the record untouched. */
public sealed interface ClaimAnswer {
    /**
     * The asker holds the claim.
     *
     * @param fence the claim's number, higher than that of any earlier claim of this key
     * @param takeover whether an earlier claim of the same request had been left to run out
     */
    record Granted(long fence, boolean takeover) implements ClaimAnswer {}

    /**
     * The outcome is not known, of a claim that was settled so or was left to run out, and the asker is the one who may
     * find out, under this claim.
     *
     * @param fence the reconciler's number
     * @param asked how often a reconciler has been let in, this time included
     * @param age how long ago the key was first claimed for this request
     */
    record Reconcile(long fence, int asked, Duration age) implements ClaimAnswer {}

    /**
     * Somebody else holds it.
     *
     * @param remaining how long the present lease still runs; zero where the store cannot tell
     */
    record Held(Duration remaining) implements ClaimAnswer {}

    /**
     * The key belongs to another request, as far as the stored bytes tell.
     *
     * @param stored the fingerprint of the record
     */
    record Mismatch(Fingerprint stored) implements ClaimAnswer {}

    /**
     * It is settled and the result is there.
     *
     * @param state succeeded or refused
     * @param result the result
     * @param own whether the very attempt that asks had settled it
     * @param remaining how long this answer may still be given, by the store's clock
     */
    record Replay(RecordState state, Payload result, boolean own, Duration remaining) implements ClaimAnswer {}

    /**
     * It is settled, and its result was dropped or could not be stored.
     *
     * @param state succeeded or refused
     * @param own whether the very attempt that asks had settled it
     * @param remaining how long this answer may still be given, by the store's clock
     */
    record NoResult(RecordState state, boolean own, Duration remaining) implements ClaimAnswer {}

    /**
     * The outcome is unknown, and the asker may not find out now.
     *
     * @param pause how long nobody is let in to find out; zero where nobody will be, or the asker cannot
     */
    record Unknown(Duration pause) implements ClaimAnswer {}

    /**
     * No record answers, and the key's birth time forbids to run it.
     *
     * @param fromFuture whether it lies in the future rather than too far in the past
     */
    record OutOfTime(boolean fromFuture) implements ClaimAnswer {}
}
