package io.oncegate.spring.lock;

import io.oncegate.core.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended.
 *
 * @param completed whether its work counts as done, so that a window stays open
 * @param payload what others are given, or null
 * @param result what the method itself returned
 */
record Ending(
        boolean completed,
        @Nullable Payload payload,
        @Nullable Object result) {
    /** Nothing has happened. */
    static final Ending NOTHING = new Ending(false, null, null);

    /** Nobody knows what has happened: a window stays open, whatever becomes of a transaction. */
    static final Ending UNKNOWN = new Ending(true, null, null);
}
