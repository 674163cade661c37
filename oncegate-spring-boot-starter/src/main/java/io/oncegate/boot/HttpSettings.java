package io.oncegate.boot;

import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.ProblemCode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties under {@code oncegate.http}.
 *
 * @param enabled whether there is a gate, if there are routes for it
 * @param filterOrder where the gate stands among the filters, by default behind Spring Security's
 * @param strictKeys whether a key has to be a structured-field string, in double quotes
 * @param keyHeader the header that carries the key
 * @param principalFirst whether a request's principal is its caller, and a resolver bean is asked only where there is none;
 *     else the bean alone decides, for example on tenant and principal together
 * @param unknownCallerStatus the status for requests whose caller is not known: 401 or 403
 * @param storeRetryAfter the Retry-After while the store is down
 * @param maxBodySize the most bytes of a request's body
 * @param memoryThreshold how much of a body is held in memory rather than in a temporary file
 * @param routes the protected routes; IdempotentRoute beans and annotated handlers are added to them
 */
public record HttpSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("0") int filterOrder,
        boolean strictKeys,
        @Nullable String keyHeader,
        @DefaultValue("true") boolean principalFirst,
        @Nullable Integer unknownCallerStatus,
        @Nullable Duration storeRetryAfter,
        @Nullable DataSize maxBodySize,
        @Nullable DataSize memoryThreshold,
        @DefaultValue List<RouteSettings> routes) {
    /** The status for callers who are not known. */
    int refusalOfUnknown() {
        return unknownCallerStatus == null ? ProblemCode.CALLER_UNKNOWN.status() : unknownCallerStatus;
    }

    /** When to ask again while the store is down. */
    Duration pauseWhileDown() {
        return storeRetryAfter == null ? GateBuilder.DEFAULT_STORE_RETRY_AFTER : storeRetryAfter;
    }
}
