package io.oncegate.spring.client;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/**
 * Gives the requests of a {@code WebClient} their keys: {@code WebClient.builder().apply(new IdempotentWebClient(keys))}.
 * The key is bound to the request when it is built, so that {@code retryWhen} and every other operator that subscribes again
 * keeps it. A request that has been answered with 2xx, or is in flight, cannot be subscribed to again: it would be either a
 * repetition or another call, and only the caller knows. Thread-safe.
 *
 * <p>By rules it also sends requests again. A body up to 256 KiB is kept for that; a larger or streaming one is sent again
 * only if none of it had been asked for.
 */
public final class IdempotentWebClient implements Consumer<WebClient.Builder> {
    private static final String SPEC_KEY = IdempotentWebClient.class.getName() + ".key";

    private final IdempotencyKeys keys;
    private final RetryRules rules;

    /** Keys alone; nothing is sent again. */
    public IdempotentWebClient(IdempotencyKeys keys) {
        this(keys, RetryRules.none());
    }

    /** Keys, and retries by these rules. */
    public IdempotentWebClient(IdempotencyKeys keys, RetryRules rules) {
        this.keys = keys;
        this.rules = rules;
    }

    @Override
    public void accept(WebClient.Builder builder) {
        builder.defaultRequest(spec -> spec.attribute(SPEC_KEY, new SpecKey())).filter(this::filter);
    }

    private Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        String method = request.method().name();
        if (request.headers().containsHeader(keys.header()) || !keys.isFor(method, request.url())) {
            boolean repeatable =
                    request.headers().containsHeader(keys.header()) || IdempotencyKeys.isRepeatable(method);
            return send(request, next, repeatable);
        }
        SpecKey spec = (SpecKey) request.attribute(SPEC_KEY).orElseGet(SpecKey::new);
        return Mono.deferContextual(context -> {
            @Nullable Attempt inContext = ReactiveCalls.attempt(context);
            @Nullable Attempt attempt = inContext == null ? spec.builtIn() : inContext;
            CallKey key = spec.open(method, () -> IdempotencyKeys.open(attempt, method, request.url(), null));
            ClientRequest keyed = ClientRequest.from(request)
                    .headers(headers -> headers.set(keys.header(), key.value()))
                    .build();
            return send(keyed, next, true)
                    .map(response -> {
                        // before the answer goes on, for the next request may follow from it
                        key.close();
                        return watched(response, spec);
                    })
                    .doOnError(failure -> failed(key, spec))
                    .doOnCancel(() -> failed(key, spec));
        });
    }

    private Mono<ClientResponse> send(ClientRequest request, ExchangeFunction next, boolean repeatable) {
        return rules.areOff()
                ? next.exchange(request)
                : new WebClientSend(request, next, rules.session(repeatable)).send();
    }

    private static void failed(CallKey key, SpecKey spec) {
        key.close();
        spec.reopen();
    }

    private static ClientResponse watched(ClientResponse response, SpecKey spec) {
        if (!response.statusCode().is2xxSuccessful()) {
            spec.reopen();
            return response;
        }
        return response.mutate()
                .body(body -> body.doOnComplete(spec::answered)
                        .doOnError(failure -> spec.reopen())
                        .doOnCancel(spec::reopen))
                .build();
    }
}
