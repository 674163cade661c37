package io.oncegate.spring.http;

import java.time.Duration;
import java.util.List;

/**
 * What {@link GateBuilder} has collected. Immutable.
 *
 * @param routes the protected routes; the first that matches counts
 * @param keys where keys stand, unless a route says otherwise
 * @param unknownCallerStatus 401 or 403
 * @param storeRetryAfter when to ask again while the store is down
 * @param maxBodyBytes the most bytes of a request's body
 * @param memoryThreshold how many bytes of a body are held in memory
 */
public record GateSettings(
        List<IdempotentRoute> routes,
        KeySource keys,
        int unknownCallerStatus,
        Duration storeRetryAfter,
        long maxBodyBytes,
        int memoryThreshold) {}
