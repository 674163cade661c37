package io.oncegate.spring.http.internal;

import io.oncegate.core.Claim;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** No claim: the key's source has made sure that the request comes once, and nothing is recorded. */
public final class UnrecordedClaim implements Claim<HttpSnapshot> {
    private final IdempotentRoute route;
    private final OperationKey key;

    /** Creates it for a key that no store knows. */
    public UnrecordedClaim(IdempotentRoute route, OperationKey key) {
        this.route = route;
        this.key = key;
    }

    @Override
    public OperationKey key() {
        return key;
    }

    @Override
    public long fence() {
        return 0;
    }

    @Override
    public boolean live() {
        return false;
    }

    @Override
    public Duration remaining() {
        return Duration.ZERO;
    }

    @Override
    public <R> @Nullable R unwrap(Class<R> type) {
        return null;
    }

    @Override
    public Outcome<HttpSnapshot> succeed(@Nullable HttpSnapshot value) {
        return new Outcome.Executed<>(value);
    }

    @Override
    public Outcome<HttpSnapshot> fail(Throwable failure) {
        if (failure instanceof RefusedAnswer refused) {
            return new Outcome.Refused<>(refused, false);
        }
        return route.meaningOf(failure) == FailureKind.NOBODY_KNOWS
                ? new Outcome.Unknown<>(key, failure, null)
                : new Outcome.Failed<>(failure);
    }

    @Override
    public void release() {
        // nothing is held
    }
}
