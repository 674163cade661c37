package io.oncegate.testkit;

import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Outcomes to settle with. */
final class Settling {
    private Settling() {}

    static Settlement succeeded(String result) {
        return succeeded(payload(result), Asking.LONG, Asking.LONG);
    }

    static Settlement succeeded(@Nullable Payload result, Duration retention, Duration resultRetention) {
        return new Settlement(RecordState.SUCCEEDED, result, retention, resultRetention);
    }

    static Settlement refused(String result) {
        return new Settlement(RecordState.REFUSED, payload(result), Asking.LONG, Asking.LONG);
    }

    static Settlement unknown() {
        return unknown(Duration.ZERO);
    }

    static Settlement unknown(Duration pause) {
        return Settlement.unknown(Asking.LONG, pause);
    }

    static Settlement withoutResult(RecordState state) {
        return new Settlement(state, null, Asking.LONG, Asking.LONG);
    }

    static Payload payload(String text) {
        return Payload.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
