package io.oncegate.benchmarks;

import io.oncegate.core.Call;
import io.oncegate.core.Operation;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What all rows ask for: one caller's orders, with an answer of 300 bytes. Thread-safe. */
final class Orders {
    static final String NAME = "order.create";
    static final Scope SCOPE = Scope.of("tenant-1", "alice");
    static final String BODY = "{\"sessionId\":1,\"quantity\":2,\"note\":\"two seats in one row\"}";
    static final String RESULT = "r".repeat(300);
    static final byte[] RESULT_BYTES = RESULT.getBytes(StandardCharsets.US_ASCII);
    static final Duration LEASE = Operation.DEFAULT_LEASE;
    static final Duration DAY = Operation.DEFAULT_RETENTION;

    static final Operation<Void> WITHOUT_RESULT = Operation.named(NAME).build();
    static final Operation<String> WITH_RESULT =
            Operation.named(NAME).returning(String.class).build();
    static final Operation<String> LATE =
            Operation.named(NAME).returning(String.class).recordLate().build();

    static final Settlement SETTLED = settlement(DAY);
    static final Settlement SETTLED_WITHOUT_RESULT =
            new Settlement(RecordState.SUCCEEDED, Payload.of(new byte[1]), DAY, DAY);

    private Orders() {}

    /** A whole call, as a request brings it: key digest and fingerprint included. */
    static <T> Call<T> call(Operation<T> operation, String value) {
        return operation.call(SCOPE, value, Fingerprint.ofJson(BODY));
    }

    static RecordId id(String value) {
        return OperationKey.of(NAME, SCOPE, value).id();
    }

    /** The same as the engine asks a store. */
    static ClaimRequest request(String value) {
        return request(id(value), DAY);
    }

    static ClaimRequest request(RecordId id, Duration retention) {
        return new ClaimRequest(id, NAME, Fingerprint.ofJson(BODY), AttemptId.random(), LEASE, retention, 0, null);
    }

    static Settlement settlement(Duration retention) {
        return new Settlement(RecordState.SUCCEEDED, Payload.of(RESULT_BYTES), retention, retention);
    }

    /** Fails the row if a path did not do what it is measured for. */
    static <T> T expect(Class<T> wanted, Object answer) {
        if (!wanted.isInstance(answer)) {
            throw new IllegalStateException("Expected " + wanted.getSimpleName() + ", got " + answer);
        }
        return wanted.cast(answer);
    }
}
