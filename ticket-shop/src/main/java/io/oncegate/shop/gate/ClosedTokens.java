package io.oncegate.shop.gate;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeyRequest;
import io.oncegate.spring.http.KeySource;
import java.time.Duration;

/**
 * Refuses one-time tokens while Redis is away, on a route that runs without it. The judge would know a token again; but only a
 * record in Redis tells whether one that has expired was sent before.
 */
final class ClosedTokens implements KeySource {
    private static final OperationKey NOBODY = OperationKey.of("token.closed", Scope.global(), "nobody");

    private final KeySource tokens;
    private final RecordStore store;
    private final Duration retryAfter;

    ClosedTokens(KeySource tokens, RecordStore store, Duration retryAfter) {
        this.tokens = tokens;
        this.store = store;
        this.retryAfter = retryAfter;
    }

    @Override
    public KeyReading read(KeyRequest request) {
        KeyReading reading = tokens.read(request);
        if (!(reading instanceof KeyReading.Found)) {
            return reading;
        }
        try {
            // Nobody's claim: a question that changes nothing.
            store.release(new ClaimRef(NOBODY.id(), 1, AttemptId.random()));
            return reading;
        } catch (StoreUnavailableException e) {
            return new KeyReading.Refused(HttpProblem.of(e, retryAfter));
        }
    }

    @Override
    public String description() {
        return tokens.description();
    }

    @Override
    public boolean needsBody() {
        return tokens.needsBody();
    }
}
