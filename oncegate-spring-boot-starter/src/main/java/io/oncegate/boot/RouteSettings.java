package io.oncegate.boot;

import io.oncegate.core.WhenStoreDown;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * One protected route, under {@code oncegate.http.routes[n]}.
 *
 * @param method the HTTP method
 * @param path the path within the application, as in PostMapping
 * @param operation stable name of the operation, such as order.create
 * @param keyRequired whether a request without a key is refused; else it runs unprotected
 * @param keyField the JSON pointer (/requestId) or form field that carries the key, instead of the header
 * @param keyQuery the query parameter that carries the key, instead of the header
 * @param tokens whether it takes one-time tokens too; a token decides where a request has both
 * @param tokenPurpose what tokens have to be for, if not for the operation
 * @param lease how long a crash may block a key
 * @param retention how long an answer is given again
 * @param resultRetention how long the answer itself is kept, if not as long
 * @param waitUpTo how long a repetition waits for the answer of a running twin, instead of being refused
 * @param whenStoreDown what happens while the store is down
 * @param ignoreBirthTime whether keys run whatever birth time they carry; else one that has no record is refused when it is as old
 *     as the kept answers
 * @param birthLimit refuses keys older than this that have no record, if they carry their birth time
 * @param birthTolerance how far in the future a key's birth may lie
 * @param maxResponseSize the most bytes of an answer that are kept
 * @param keep statuses that are kept beyond the default
 * @param release statuses after which the key is free
 * @param unknown statuses after which nobody knows what has happened
 * @param headers headers that are kept beyond the default
 * @param sameTransaction whether record and effect commit together
 * @param ladder whether they do, behind Redis, which answers repetitions
 */
public record RouteSettings(
        @DefaultValue("POST") String method,
        @Nullable String path,
        @Nullable String operation,
        @DefaultValue("true") boolean keyRequired,
        @Nullable String keyField,
        @Nullable String keyQuery,
        boolean tokens,
        @Nullable String tokenPurpose,
        @Nullable Duration lease,
        @Nullable Duration retention,
        @Nullable Duration resultRetention,
        @Nullable Duration waitUpTo,
        @Nullable WhenStoreDown whenStoreDown,
        boolean ignoreBirthTime,
        @Nullable Duration birthLimit,
        @Nullable Duration birthTolerance,
        @Nullable DataSize maxResponseSize,
        @DefaultValue List<Integer> keep,
        @DefaultValue List<Integer> release,
        @DefaultValue List<Integer> unknown,
        @DefaultValue List<String> headers,
        boolean sameTransaction,
        boolean ladder) {}
