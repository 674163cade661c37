package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Ends of holds. */
final class LockEnding {
    static final LockEnd COMPLETED = new LockEnd(true, null, LockAsking.SHORT);

    private LockEnding() {}

    static Payload payload(String text) {
        return Payload.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Completed with this result, kept for long. */
    static LockEnd with(String result) {
        return with(payload(result), LockAsking.LONG);
    }

    static LockEnd with(Payload result, Duration retention) {
        return new LockEnd(true, result, retention);
    }

    /** Ends the hold, and fails unless that is done. */
    static void done(LockStore store, ClaimRef held, LockEnd end) {
        assertThat(store.end(held, end)).as("end").isEqualTo(HolderAnswer.DONE);
    }
}
