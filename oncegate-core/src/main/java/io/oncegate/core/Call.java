package io.oncegate.core;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.BirthRule;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One request to run an operation: which, for whom, under which key, and what is asked for. Made by
 * {@link Operation#call}. Immutable.
 *
 * @param operation the operation with its policies
 * @param key operation, scope and value
 * @param fingerprint what is asked for
 * @param birth how old this request may be where no record answers; null leaves it to the operation
 * @param <T> the result's type
 */
public record Call<T>(
        Operation<T> operation,
        OperationKey key,
        Fingerprint fingerprint,
        @Nullable BirthRule birth) {
    /** Checks that the key is one of this operation's, and that its record outlives the birth limit. */
    public Call {
        if (!key.operation().equals(operation.name())) {
            throw new IllegalArgumentException(
                    "a key of " + key.operation() + " cannot call " + operation.name() + "; use Operation.call");
        }
        if (birth != null) {
            requireKept(operation, birth);
        }
    }

    /** A call whose age the operation alone decides on. */
    public Call(Operation<T> operation, OperationKey key, Fingerprint fingerprint) {
        this(operation, key, fingerprint, null);
    }

    /**
     * This call, refused as expired where no record answers and its age, by the store's clock, has reached the limit. It
     * narrows what {@link Operation.Builder#birthTime} says, never widens it.
     *
     * @param bornAt when the request was made out, from a source that the caller cannot choose
     * @param limit the age from which it is refused, 1 ms or more
     * @param tolerance how far in the store's future the birth may lie, 0 or more
     * @throws IllegalArgumentException if limit and tolerance together are longer than the operation's retention
     */
    public Call<T> bornWithin(Instant bornAt, Duration limit, Duration tolerance) {
        return new Call<>(operation, key, fingerprint, new BirthRule(bornAt, limit, tolerance));
    }

    private static void requireKept(Operation<?> operation, BirthRule birth) {
        if (birth.limit().compareTo(Duration.ofMillis(1)) < 0
                || birth.limit().compareTo(Operation.MAX_RETENTION) > 0
                || birth.tolerance().isNegative()
                || birth.tolerance().compareTo(Operation.MAX_RETENTION) > 0) {
            throw new IllegalArgumentException("operation " + operation.name()
                    + ": the birth limit of a call is 1 ms to "
                    + Operation.MAX_RETENTION + " and its tolerance not negative, not " + birth.limit() + " and "
                    + birth.tolerance());
        }
        if (birth.limit().plus(birth.tolerance()).compareTo(operation.retention()) > 0) {
            throw new IllegalArgumentException("operation " + operation.name() + ": birth limit " + birth.limit()
                    + " and tolerance " + birth.tolerance() + " of a call together are longer than the retention "
                    + operation.retention() + "; an old request could run again");
        }
    }

    /** The rule that the store is asked with: the narrower one of the call's and the operation's. */
    @Nullable
    BirthRule birthRule() {
        Operation.Settings<T> settings = operation.settings();
        Duration limit = settings.birthLimit();
        BirthRule general = limit == null
                ? null
                : key.bornAt()
                        .map(at -> new BirthRule(at, limit, settings.birthTolerance()))
                        .orElse(null);
        if (general == null || birth == null) {
            return general == null ? birth : general;
        }
        // Both have to hold. A rule is an interval of the store's time, so the two are one again: where they meet.
        Instant opens =
                later(birth.bornAt().minus(birth.tolerance()), general.bornAt().minus(general.tolerance()));
        Instant ends =
                earlier(birth.bornAt().plus(birth.limit()), general.bornAt().plus(general.limit()));
        Instant bornAt = earlier(later(opens, birth.bornAt()), ends);
        return new BirthRule(bornAt, Duration.between(bornAt, ends), Duration.between(opens, bornAt));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
