package io.oncegate.jdbc;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
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

/** Requests and outcomes of the tests. */
final class Requests {
    static final String OPERATION = "order.create";
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration RETENTION = Duration.ofHours(24);
    static final Settlement FIRST = new Settlement(RecordState.SUCCEEDED, null, RETENTION, RETENTION);

    private Requests() {}

    static RecordId id(String key) {
        return OperationKey.of(OPERATION, Scope.global(), key).id();
    }

    static ClaimRequest request(String key) {
        return request(key, "10", LEASE, RETENTION);
    }

    static ClaimRequest request(String key, String payload) {
        return request(key, payload, LEASE, RETENTION);
    }

    static ClaimRequest request(String key, String payload, Duration lease, Duration retention) {
        return new ClaimRequest(
                id(key), OPERATION, Fingerprint.of(payload), AttemptId.random(), lease, retention, 0, null);
    }

    static ClaimRequest born(ClaimRequest request, BirthRule rule) {
        return new ClaimRequest(
                request.id(),
                request.operation(),
                request.fingerprint(),
                request.attempt(),
                request.lease(),
                request.retention(),
                0,
                rule);
    }

    static ClaimRef granted(RecordStore store, ClaimRequest request) {
        ClaimAnswer answer = store.claim(request);
        if (answer instanceof ClaimAnswer.Granted granted) {
            return new ClaimRef(request.id(), granted.fence(), request.attempt());
        }
        throw new AssertionError("not granted but " + answer);
    }

    static Settlement succeeded(String result) {
        return new Settlement(RecordState.SUCCEEDED, payload(result), RETENTION, RETENTION);
    }

    static Payload payload(String text) {
        return Payload.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static ClaimAnswer replay(String result) {
        return Untimed.replay(RecordState.SUCCEEDED, payload(result), false);
    }
}
