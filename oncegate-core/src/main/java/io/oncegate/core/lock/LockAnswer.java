package io.oncegate.core.lock;

import io.oncegate.core.spi.Payload;
import java.time.Duration;

/** A store's answer to an attempt to acquire a lock. */
public sealed interface LockAnswer {
    /**
     * It is held by this attempt, now or already.
     *
     * @param fence the number of this acquisition
     */
    record Granted(long fence) implements LockAnswer {}

    /**
     * Another attempt holds it, or its window is open.
     *
     * @param left how long that lasts unless it is renewed, by the store's clock; more than zero
     * @param fence the number of that acquisition
     * @param completed whether it is completed, so that only its window refuses others
     */
    record Held(Duration left, long fence, boolean completed) implements LockAnswer {}

    /** The run that was met is completed, and this is its result. */
    record Result(Payload result) implements LockAnswer {}
}
