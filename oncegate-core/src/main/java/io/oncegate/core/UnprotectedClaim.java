package io.oncegate.core;

import io.oncegate.core.key.OperationKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** No claim at all: the store was down, and the operation chose to run without one. */
final class UnprotectedClaim<T> implements Claim<T> {
    private final Call<T> call;

    UnprotectedClaim(Call<T> call) {
        this.call = call;
    }

    @Override
    public OperationKey key() {
        return call.key();
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
    public Outcome<T> succeed(@Nullable T value) {
        return new Outcome.Unprotected<>(value);
    }

    @Override
    public Outcome<T> fail(Throwable failure) {
        return failure instanceof RuntimeException refusal && call.operation().refusalOf(failure) != null
                ? new Outcome.Refused<>(refusal, false)
                : new Outcome.Failed<>(failure);
    }

    @Override
    public void release() {
        // nothing is held
    }
}
