package io.oncegate.jdbc;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.core.spi.TransactionDeadException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/**
 * How often a whole transaction is tried, with which pauses, and within which time. Immutable.
 *
 * <p>The pause before try n is random, up to {@code firstPause} times 2 to the power of n - 2, and never longer than {@code
 * longestPause}: those who have collided once do not meet again at once.
 *
 * @param attempts the most tries, 1 or more
 * @param firstPause the bound of the first pause, 0 or more
 * @param longestPause the bound of every pause, {@code firstPause} or more
 * @param within no further try begins after this time; more than 0
 */
public record RetryPolicy(int attempts, Duration firstPause, Duration longestPause, Duration within) {
    /** Ten tries within ten seconds, with pauses of up to 8 ms, 16 ms and so on, and no more than 500 ms. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(10, Duration.ofMillis(8), Duration.ofMillis(500), Duration.ofSeconds(10));

    /** Checks the numbers. */
    public RetryPolicy {
        if (attempts < 1
                || firstPause.isNegative()
                || longestPause.compareTo(firstPause) < 0
                || longestPause.compareTo(Duration.ofDays(1)) > 0
                || within.isNegative()
                || within.isZero()
                || within.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "a retry has 1 attempt or more, a first pause of 0 or more, a longest pause no"
                            + " shorter than that, and a time of more than 0, of a day at most; not " + attempts + ", "
                            + firstPause
                            + ", " + longestPause + ", " + within);
        }
    }

    /** The same with this many tries at most. */
    public RetryPolicy withAttempts(int most) {
        return new RetryPolicy(most, firstPause, longestPause, within);
    }

    /** The same with this bound of time. */
    public RetryPolicy withinTime(Duration bound) {
        return new RetryPolicy(attempts, firstPause, longestPause, bound);
    }

    /**
     * What is tried: a whole transaction, from its beginning to its commit.
     *
     * @param <T> what it returns
     * @param <E> what it may throw
     */
    @FunctionalInterface
    public interface Attempt<T, E extends Exception> {
        /** Begins, works and commits; or throws and leaves nothing open. */
        T run() throws E;
    }

    /**
     * Whether nothing has happened and a fresh transaction may fare better: the database has ended the transaction by itself
     * (deadlock, serialization failure, a plan that is older than the table), or a version was stale. Looks through the causes.
     */
    public static boolean mayRepeat(Throwable failure) {
        if (SqlTrouble.of(failure) == SqlTrouble.DEAD) {
            return true;
        }
        int depth = 0;
        for (Throwable t = failure; t != null && depth < 100; t = t.getCause(), depth++) {
            if ((t instanceof StaleVersionException stale && !stale.gone()) || t instanceof TransactionDeadException) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a lock was not to be had in time, or the statement was cut off while it waited: another transaction is at work on
     * the same row. Looks through the causes.
     */
    public static boolean isLockedOut(Throwable failure) {
        SqlTrouble trouble = SqlTrouble.of(failure);
        return trouble == SqlTrouble.LOCKED || trouble == SqlTrouble.CUT_OFF;
    }

    /**
     * Tries until an attempt succeeds, fails with what is not to be repeated, or tries or time are up; then the last failure
     * is thrown. An interrupt ends it the same way, with the flag set.
     *
     * @param again which failures mean that nothing has happened and that a new try makes sense
     */
    public <T, E extends Exception> T run(Predicate<? super Exception> again, Attempt<T, E> attempt) throws E {
        long end = System.nanoTime() + within.toNanos();
        for (int tried = 1; ; tried++) {
            try {
                return attempt.run();
            } catch (Exception e) {
                if (tried >= attempts || !again.test(e) || !pause(tried, end)) {
                    throw e;
                }
            }
        }
    }

    /** Waits before the next try; false if there is no time for it, or the thread is interrupted. */
    private boolean pause(int tried, long end) {
        long most = Math.min(longestPause.toNanos(), saturated(firstPause.toNanos(), tried - 1));
        long nanos = most == 0 ? 0 : ThreadLocalRandom.current().nextLong(most) + 1;
        if (end - System.nanoTime() <= nanos || Thread.currentThread().isInterrupted()) {
            return false;
        }
        try {
            Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static long saturated(long nanos, int doublings) {
        return doublings >= Long.numberOfLeadingZeros(nanos) - 1 ? Long.MAX_VALUE : nanos << doublings;
    }
}
