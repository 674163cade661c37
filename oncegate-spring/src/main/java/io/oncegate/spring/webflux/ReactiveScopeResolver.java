package io.oncegate.spring.webflux;

import io.oncegate.core.key.Scope;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Names the caller of a request, for example tenant and user. Thread-safe. */
@FunctionalInterface
public interface ReactiveScopeResolver {
    /**
     * The caller, or empty if it is not known: the request is refused then, for a key that nobody owns would be
     * everybody's. An {@link io.oncegate.core.error.InvalidKeyException} counts as not known.
     */
    Mono<Scope> resolve(ServerWebExchange exchange);

    /** The request's principal, by its name. Spring Security fills it; its anonymous user is none. */
    static ReactiveScopeResolver principal() {
        return exchange -> exchange.getPrincipal()
                .filter(principal -> !isAnonymous(principal))
                .map(principal -> Scope.of(principal.getName()));
    }

    /**
     * This caller, or where it is not known the one that another resolver names. Let that one add a part of its own, as in
     * {@code Scope.of("device", id)}, so that no device is called like a user.
     */
    default ReactiveScopeResolver orElse(ReactiveScopeResolver other) {
        return exchange -> resolve(exchange).switchIfEmpty(Mono.defer(() -> other.resolve(exchange)));
    }

    /** This caller within something else that has to be named too, such as the tenant: empty there is an unknown caller. */
    default ReactiveScopeResolver and(Function<ServerWebExchange, Optional<String>> part) {
        return exchange -> resolve(exchange)
                .flatMap(scope -> Mono.justOrEmpty(part.apply(exchange).map(scope::and)));
    }

    /** Spring Security need not be there, so its class is known by its name. */
    private static boolean isAnonymous(Principal principal) {
        for (Class<?> type = principal.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals("org.springframework.security.authentication.AnonymousAuthenticationToken")) {
                return true;
            }
        }
        return false;
    }
}
