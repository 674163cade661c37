package io.oncegate.spring.http;

import io.oncegate.core.Oncegate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects what the gates of both web frameworks have in common. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class GateBuilder<B extends GateBuilder<B>> {
    /** The most bytes of a request's body, unless said otherwise. */
    public static final long DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;

    /** How much of a body is held in memory rather than in a temporary file, unless said otherwise. */
    public static final int DEFAULT_MEMORY_THRESHOLD = 256 * 1024;

    /** When to ask again while the store is down, unless said otherwise. */
    public static final Duration DEFAULT_STORE_RETRY_AFTER = Duration.ofSeconds(5);

    private final List<IdempotentRoute> routes = new ArrayList<>();
    private KeySource keys = KeySource.header();
    private int unknownCallerStatus = ProblemCode.CALLER_UNKNOWN.status();
    private Duration storeRetryAfter = DEFAULT_STORE_RETRY_AFTER;
    private long maxBodyBytes = DEFAULT_MAX_BODY_BYTES;
    private int memoryThreshold = DEFAULT_MEMORY_THRESHOLD;

    /** Begins with the defaults. */
    protected GateBuilder() {}

    /** This builder, as what it is. */
    protected abstract B self();

    /** Adds a protected route; of two that match a request, the one added first counts. */
    public B route(IdempotentRoute route) {
        this.routes.add(route);
        return self();
    }

    /** Where keys stand, unless a route says otherwise; by default in the header {@code Idempotency-Key}. */
    public B key(KeySource keys) {
        this.keys = keys;
        return self();
    }

    /** The status for requests whose caller is not known: 401, or 403. */
    public B unknownCallerStatus(int status) {
        if (status != 401 && status != 403) {
            throw new IllegalArgumentException("an unknown caller is refused with 401 or 403, not " + status);
        }
        this.unknownCallerStatus = status;
        return self();
    }

    /** The {@code Retry-After} while the store is down. */
    public B storeRetryAfter(Duration storeRetryAfter) {
        this.storeRetryAfter = storeRetryAfter;
        return self();
    }

    /**
     * The most bytes of a request's body; a longer one is refused. It also stands in the place of a container's limits on
     * multipart bodies, which do not see what the gate has read.
     */
    public B maxBodyBytes(long maxBodyBytes) {
        if (maxBodyBytes < 0) {
            throw new IllegalArgumentException("the size limit of a body is 0 or more, not " + maxBodyBytes);
        }
        this.maxBodyBytes = maxBodyBytes;
        return self();
    }

    /** How many bytes of a body, of request or answer, are held in memory rather than in a temporary file. */
    public B memoryThreshold(int memoryThreshold) {
        if (memoryThreshold < 0) {
            throw new IllegalArgumentException("the memory for a body is 0 or more, not " + memoryThreshold);
        }
        this.memoryThreshold = memoryThreshold;
        return self();
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException if there is no route, or this engine could not run one's operation
     */
    protected GateSettings settings(Oncegate oncegate) {
        if (routes.isEmpty()) {
            throw new IllegalArgumentException("a gate without routes protects nothing; add IdempotentRoute.post(…)");
        }
        routes.forEach(route -> oncegate.check(route.operation()));
        return new GateSettings(
                List.copyOf(routes), keys, unknownCallerStatus, storeRetryAfter, maxBodyBytes, memoryThreshold);
    }
}
