package io.oncegate.spring.client;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What has been tried for one request, and whether it is sent again. Used by one request, one step after the other. */
final class RetrySession {
    private final int maxAttempts;
    private final RetryBackoff backoff;
    private final InstantSource clock;
    private Duration left;
    private int attempts = 1;

    RetrySession(int maxAttempts, Duration maxTotalWait, RetryBackoff backoff, InstantSource clock) {
        this.maxAttempts = maxAttempts;
        this.left = maxTotalWait;
        this.backoff = backoff;
        this.clock = clock;
    }

    /** The wait before the request is sent again after an I/O error; empty if it is not. */
    Optional<Duration> afterFailure() {
        return again(Duration.ZERO);
    }

    /**
     * The wait before the request is sent again after this answer; empty if the answer is the caller's.
     *
     * @param retryAfter the header's value
     * @param inProgress whether a 409 is the problem {@code in-progress}
     */
    Optional<Duration> afterAnswer(int status, @Nullable String retryAfter, boolean inProgress) {
        Optional<Duration> named = RetryAfter.parse(retryAfter, clock.instant());
        boolean passing = switch (status) {
            case 409 -> inProgress;
            case 429 -> named.isPresent();
            case 502, 503, 504 -> true;
            default -> false;
        };
        return passing ? again(named.orElse(Duration.ZERO)) : Optional.empty();
    }

    /** Whether another attempt is left, so that it is worth reading what an answer says. */
    boolean hasMore() {
        return attempts < maxAttempts;
    }

    private Optional<Duration> again(Duration atLeast) {
        if (!hasMore()) {
            return Optional.empty();
        }
        Duration drawn = backoff.after(attempts);
        Duration wait = drawn.compareTo(atLeast) < 0 ? atLeast : drawn;
        if (wait.compareTo(left) > 0) {
            return Optional.empty();
        }
        attempts++;
        left = left.minus(wait);
        return Optional.of(wait);
    }
}
