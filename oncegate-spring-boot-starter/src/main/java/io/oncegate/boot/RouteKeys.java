package io.oncegate.boot;

import io.oncegate.core.Operation;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.token.TokenKeySource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the keys of configured routes stand.
 *
 * @param settings the gate's settings
 * @param tokens gives the service of one-time tokens, or null
 */
record RouteKeys(HttpSettings settings, Supplier<@Nullable OnceTokens> tokens) {
    /** The header of the gate. */
    static IdempotencyKeyHeader header(HttpSettings settings) {
        IdempotencyKeyHeader header =
                settings.strictKeys() ? IdempotencyKeyHeader.strict() : IdempotencyKeyHeader.lenient();
        return settings.keyHeader() == null ? header : header.named(settings.keyHeader());
    }

    /** A route's own source, or null if its keys stand where the gate's do. */
    @Nullable
    KeySource of(RouteSettings route, String operation) {
        KeySource own = null;
        if (route.keyField() != null) {
            own = field(route.keyField());
        } else if (route.keyQuery() != null) {
            own = KeySource.queryParameter(route.keyQuery());
        }
        return route.tokens() ? tokens(route, operation).or(own == null ? header(settings) : own) : own;
    }

    private static KeySource field(String name) {
        return name.startsWith("/") ? KeySource.jsonField(name) : KeySource.formField(name);
    }

    private KeySource tokens(RouteSettings route, String operation) {
        OnceTokens service = tokens.get();
        if (service == null) {
            throw new IllegalArgumentException(
                    "the route takes one-time tokens, and there is nothing that checks them; set oncegate.tokens.secret, or"
                            + " add an OnceTokens bean");
        }
        return TokenKeySource.of(
                        service,
                        route.tokenPurpose() == null ? operation : route.tokenPurpose(),
                        route.retention() == null ? Operation.DEFAULT_RETENTION : route.retention())
                .storeRetryAfter(settings.pauseWhileDown());
    }
}
