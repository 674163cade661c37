package io.oncegate.testkit;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import java.time.Duration;

/** Answers of settled records without how long they may still be given, to be compared. */
public final class Untimed {
    private Untimed() {}

    /** The answer, with nothing remaining if it is of a settled record. */
    public static ClaimAnswer of(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Replay replay) {
            return replay(replay.state(), replay.result(), replay.own());
        }
        return answer instanceof ClaimAnswer.NoResult none ? noResult(none.state(), none.own()) : answer;
    }

    /** A replay. */
    public static ClaimAnswer replay(RecordState state, Payload result, boolean own) {
        return new ClaimAnswer.Replay(state, result, own, Duration.ZERO);
    }

    /** The answer of a record without a result. */
    public static ClaimAnswer noResult(RecordState state, boolean own) {
        return new ClaimAnswer.NoResult(state, own, Duration.ZERO);
    }

    /** An outcome that is unknown, and that nobody is going to find out about for the asker. */
    public static ClaimAnswer unknown() {
        return new ClaimAnswer.Unknown(Duration.ZERO);
    }
}
