package io.oncegate.spring.client;

import feign.RequestInterceptor;
import feign.RequestTemplate;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the requests of an OpenFeign client their keys. Feign's own {@code Retryer} sends the same template again, and so
 * the same key; a retry around the client's method needs a {@link LogicalCall}. Thread-safe.
 */
public final class IdempotentFeignInterceptor implements RequestInterceptor {
    private final IdempotencyKeys keys;

    /** Creates the interceptor. */
    public IdempotentFeignInterceptor(IdempotencyKeys keys) {
        this.keys = keys;
    }

    @Override
    public void apply(RequestTemplate template) {
        URI uri = uri(template);
        if (template.headers().containsKey(keys.header()) || !keys.isFor(template.method(), uri)) {
            return;
        }
        @Nullable Attempt attempt = Attempt.current();
        try (CallKey key = IdempotencyKeys.open(attempt, template.method(), uri, compared(template))) {
            template.headerLiteral(keys.header(), key.value());
        }
    }

    private static byte @Nullable [] compared(RequestTemplate template) {
        byte @Nullable [] body = template.body();
        return body == null
                ? null
                : ComparableBody.of(String.join(",", template.headers().getOrDefault("Content-Type", List.of())), body);
    }

    /** The address as it will be: Feign puts the target's before the path only after the interceptors. */
    private static URI uri(RequestTemplate template) {
        String url = template.url();
        boolean whole = url.startsWith("http:") || url.startsWith("https:") || template.feignTarget() == null;
        return URI.create(whole ? url : template.feignTarget().url() + url);
    }
}
