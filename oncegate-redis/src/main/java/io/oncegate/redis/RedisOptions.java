package io.oncegate.redis;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How the toolkit uses a Redis. Immutable.
 *
 * @param prefix what the names of all keys begin with; applications that share a Redis choose different ones
 * @param timeout within which each call returns, whatever the network, the server or Lettuce's queues do; 1 ms to 1 min
 * @param purgeMargin how far Redis's clock has to have passed a record's fence before the record may go: the largest step
 *     back that the clock is expected to make, on one server or from a master to the replica that takes over; 1 ms to 1 day
 */
public record RedisOptions(String prefix, Duration timeout, Duration purgeMargin) {
    /** The prefix, unless said otherwise. */
    public static final String DEFAULT_PREFIX = "oncegate";

    /** The bound of each call, unless said otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);

    /** The margin before a record may go, unless said otherwise. */
    public static final Duration DEFAULT_PURGE_MARGIN = Duration.ofMinutes(15);

    // no braces: they would move the hash tag; no pattern characters: the prefix is part of a SCAN pattern
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}");

    /** Checks all three. */
    public RedisOptions {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "a key prefix has 1 to 64 of the characters A-Z a-z 0-9 . _ : / - and begins"
                            + " with a letter or digit, like shop:oncegate; it has no braces");
        }
        bounded("timeout", timeout, Duration.ofMinutes(1));
        bounded("purge margin", purgeMargin, Duration.ofDays(1));
    }

    /** The defaults. */
    public static RedisOptions defaults() {
        return new RedisOptions(DEFAULT_PREFIX, DEFAULT_TIMEOUT, DEFAULT_PURGE_MARGIN);
    }

    /** These options with another prefix. */
    public RedisOptions withPrefix(String other) {
        return new RedisOptions(other, timeout, purgeMargin);
    }

    /** These options with another bound for each call. */
    public RedisOptions withTimeout(Duration other) {
        return new RedisOptions(prefix, other, purgeMargin);
    }

    /** These options with another margin. */
    public RedisOptions withPurgeMargin(Duration other) {
        return new RedisOptions(prefix, timeout, other);
    }

    private static void bounded(String what, Duration duration, Duration max) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(max) > 0) {
            throw new IllegalArgumentException("the " + what + " is 1 ms to " + max + ", not " + duration);
        }
    }
}
