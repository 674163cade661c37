package io.oncegate.spring.client;

import java.time.Duration;
import java.time.InstantSource;

/**
 * When a client sends a request again by itself. Off unless {@link #builder()} is used. Immutable and thread-safe.
 *
 * <p>Sent again, under the same key: after an I/O error, 502, 503 and 504; after 409 with the problem {@code in-progress};
 * after 429 that names a time. The time that the server names in {@code Retry-After} is kept; where it is longer than
 * what is left of {@link Builder#maxTotalWait}, the answer is handed over at once. Never sent again: any other answer;
 * requests without a key whose method is not idempotent; requests whose body cannot be read again.
 *
 * <p>When attempts or time are used up the last answer is returned, or the last error thrown. An interrupt ends the wait.
 */
public final class RetryRules {
    /** How often a request is sent at most, unless said otherwise. */
    public static final int DEFAULT_MAX_ATTEMPTS = 4;

    /** How long all waits of a request may be in sum, unless said otherwise. */
    public static final Duration DEFAULT_MAX_TOTAL_WAIT = Duration.ofSeconds(30);

    /** The first wait where the server names none, unless said otherwise. */
    public static final Duration DEFAULT_FIRST_BACKOFF = Duration.ofMillis(200);

    /** The longest wait where the server names none, unless said otherwise. */
    public static final Duration DEFAULT_MAX_BACKOFF = Duration.ofSeconds(5);

    private static final RetryRules NONE = new RetryRules(new Builder().maxAttempts(1));

    private final int maxAttempts;
    private final Duration maxTotalWait;
    private final Duration firstBackoff;
    private final Duration maxBackoff;

    private RetryRules(Builder builder) {
        this.maxAttempts = builder.maxAttempts;
        this.maxTotalWait = builder.maxTotalWait;
        this.firstBackoff = builder.firstBackoff;
        this.maxBackoff = builder.maxBackoff;
    }

    /** Nothing is sent again: the default of every client. */
    public static RetryRules none() {
        return NONE;
    }

    /** Rules with the defaults of this class. */
    public static Builder builder() {
        return new Builder();
    }

    boolean areOff() {
        return maxAttempts == 1;
    }

    RetrySession session(boolean repeatable) {
        return session(repeatable, InstantSource.system());
    }

    RetrySession session(boolean repeatable, InstantSource clock) {
        return new RetrySession(
                repeatable ? maxAttempts : 1, maxTotalWait, new RetryBackoff(firstBackoff, maxBackoff), clock);
    }

    /** Builds rules. Not thread-safe. */
    public static final class Builder {
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private Duration maxTotalWait = DEFAULT_MAX_TOTAL_WAIT;
        private Duration firstBackoff = DEFAULT_FIRST_BACKOFF;
        private Duration maxBackoff = DEFAULT_MAX_BACKOFF;

        private Builder() {}

        /** How often a request is sent at most, the first time included: 1 to 100. */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts < 1 || maxAttempts > 100) {
                throw new IllegalArgumentException("a request is sent 1 to 100 times, not " + maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** How long all waits of a request may be in sum, its sending not counted: 0 to 24 hours. */
        public Builder maxTotalWait(Duration maxTotalWait) {
            this.maxTotalWait = upToADay(maxTotalWait);
            return this;
        }

        /** The first wait where the server names none, and the longest, to which it doubles; each 0 to 24 hours. */
        public Builder backoff(Duration first, Duration max) {
            this.firstBackoff = upToADay(first);
            this.maxBackoff = upToADay(max);
            if (first.compareTo(max) > 0) {
                throw new IllegalArgumentException("the first wait, " + first + ", is over the longest, " + max);
            }
            return this;
        }

        /** Builds the rules. */
        public RetryRules build() {
            return new RetryRules(this);
        }

        private static Duration upToADay(Duration wait) {
            if (wait.isNegative() || wait.compareTo(Duration.ofHours(24)) > 0) {
                throw new IllegalArgumentException("a wait is 0 to 24 hours, not " + wait);
            }
            return wait;
        }
    }
}
