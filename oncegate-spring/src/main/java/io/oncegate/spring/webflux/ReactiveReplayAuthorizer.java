package io.oncegate.spring.webflux;

import io.oncegate.spring.http.IdempotentRoute;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Is asked before a key's record answers, because no handler runs then, and so no check on it: an application that protects
 * its handler methods ({@code @PreAuthorize}) repeats the check here. Rules by path have been applied before the gate.
 * Thread-safe.
 */
@FunctionalInterface
public interface ReactiveReplayAuthorizer {
    /**
     * Whether the caller may be told what became of the first request. If not, or if this is empty, it is answered with 403
     * {@code replay-forbidden}. An error is passed on to the filters before the gate, such as Spring Security's.
     */
    Mono<Boolean> mayReplay(ServerWebExchange exchange, IdempotentRoute route);
}
