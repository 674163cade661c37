package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testkit.Untimed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/** Something that a caller wants once: a key and a payload, to be claimed by one attempt after another. */
record Intent(RecordId id, Fingerprint fingerprint, Duration lease, Duration retention) {
    static final String OPERATION = "order.create";
    static final Duration DAY = Duration.ofDays(1);
    /** Longer than any test. */
    static final Duration LEASE = Duration.ofMinutes(10);

    static Intent fresh() {
        return of(UUID.randomUUID().toString());
    }

    static Intent of(String key) {
        RecordId id = OperationKey.of(OPERATION, Scope.of("tenant"), key).id();
        return new Intent(id, Fingerprint.of("amount 10"), LEASE, DAY);
    }

    Intent amount(int amount) {
        return new Intent(id, Fingerprint.of("amount " + amount), lease, retention);
    }

    Intent lease(Duration other) {
        return new Intent(id, fingerprint, other, retention);
    }

    Intent retention(Duration other) {
        return new Intent(id, fingerprint, lease, other);
    }

    ClaimRequest request(AttemptId attempt) {
        return new ClaimRequest(id, OPERATION, fingerprint, attempt, lease, retention, 0, null);
    }

    ClaimAnswer askedAt(RecordStore store) {
        return Untimed.of(store.claim(request(AttemptId.random())));
    }

    ClaimRef grantedAt(RecordStore store) {
        AttemptId attempt = AttemptId.random();
        return ref(store.claim(request(attempt)), attempt);
    }

    ClaimRef ref(ClaimAnswer answer, AttemptId attempt) {
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return new ClaimRef(id, ((ClaimAnswer.Granted) answer).fence(), attempt);
    }

    static Settlement success(String result) {
        return success(result, DAY, DAY);
    }

    static Settlement success(String result, Duration retention, Duration resultRetention) {
        return new Settlement(RecordState.SUCCEEDED, payload(result), retention, resultRetention);
    }

    static Payload payload(String result) {
        return Payload.of(result.getBytes(StandardCharsets.UTF_8));
    }

    static ClaimAnswer replayOf(String result) {
        return Untimed.replay(RecordState.SUCCEEDED, payload(result), false);
    }
}
