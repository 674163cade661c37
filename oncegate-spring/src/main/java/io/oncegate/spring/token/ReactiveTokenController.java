package io.oncegate.spring.token;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Issues one-time tokens over HTTP, under Spring WebFlux: what {@link TokenController} does under Spring MVC, with the same
 * path, requests and answers. No event loop waits for a store. Thread-safe.
 */
@RestController
public final class ReactiveTokenController {
    private final ReactiveScopeResolver scopes;
    private final TokenRequests requests;

    /**
     * A controller that answers a request without a caller 401, and asks to try again after {@link
     * TokenController#DEFAULT_STORE_RETRY_AFTER} while the store is down.
     *
     * @param tokens issues them
     * @param scopes names the caller, as for the gate that the tokens are used at
     * @param purposes the purposes that anybody may ask for; all others are refused
     */
    public ReactiveTokenController(OnceTokens tokens, ReactiveScopeResolver scopes, Collection<String> purposes) {
        this(tokens, scopes, purposes, 401, TokenController.DEFAULT_STORE_RETRY_AFTER);
    }

    /**
     * A controller.
     *
     * @param tokens issues them
     * @param scopes names the caller, as for the gate that the tokens are used at
     * @param purposes the purposes that anybody may ask for; all others are refused
     * @param unknownCallerStatus what a request without a caller is answered with, 401 or 403
     * @param storeRetryAfter when to ask again while the store is down
     */
    public ReactiveTokenController(
            OnceTokens tokens,
            ReactiveScopeResolver scopes,
            Collection<String> purposes,
            int unknownCallerStatus,
            Duration storeRetryAfter) {
        this.scopes = scopes;
        this.requests = TokenRequests.of(tokens, purposes, unknownCallerStatus, storeRetryAfter);
    }

    /** Issues a token to the caller. */
    @PostMapping("${oncegate.tokens.path:" + TokenController.DEFAULT_PATH + "}")
    public Mono<ResponseEntity<byte[]>> issue(ServerWebExchange exchange) {
        return Mono.defer(() -> scopes.resolve(exchange))
                .onErrorResume(InvalidKeyException.class, e -> Mono.empty())
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(subject -> answer(subject.orElse(null), exchange.getRequest()));
    }

    private Mono<ResponseEntity<byte[]>> answer(@Nullable Scope subject, ServerHttpRequest request) {
        String type = request.getHeaders().getFirst(HttpHeaders.CONTENT_TYPE);
        Mono<byte[]> body = subject == null ? Mono.just(new byte[0]) : body(request);
        return body.publishOn(Schedulers.boundedElastic()).map(bytes -> requests.answer(subject, type, bytes));
    }

    /** The body, or of one that is too long something that is too long as well. */
    private static Mono<byte[]> body(ServerHttpRequest request) {
        return DataBufferUtils.join(request.getBody(), TokenRequests.MAX_BODY_BYTES)
                .map(ReactiveTokenController::bytes)
                .defaultIfEmpty(new byte[0])
                .onErrorReturn(DataBufferLimitException.class, new byte[TokenRequests.MAX_BODY_BYTES + 1]);
    }

    private static byte[] bytes(DataBuffer buffer) {
        try {
            byte[] bytes = new byte[buffer.readableByteCount()];
            buffer.read(bytes);
            return bytes;
        } finally {
            DataBufferUtils.release(buffer);
        }
    }
}
