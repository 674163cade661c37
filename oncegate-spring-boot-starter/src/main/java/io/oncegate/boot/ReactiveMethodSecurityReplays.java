package io.oncegate.boot;

import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.webflux.ReactiveReplayAuthorizer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.method.AuthorizationAdvisor;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link MethodSecurityReplays} for reactive applications. Thread-safe. */
final class ReactiveMethodSecurityReplays implements ReactiveReplayAuthorizer {
    private static final Logger LOG = LoggerFactory.getLogger(ReactiveMethodSecurityReplays.class);

    private final List<RequestMappingHandlerMapping> mappings;
    private final MethodSecurity security;

    ReactiveMethodSecurityReplays(List<RequestMappingHandlerMapping> mappings, MethodSecurity security) {
        this.mappings = mappings;
        this.security = security;
    }

    @Override
    public Mono<Boolean> mayReplay(ServerWebExchange exchange, IdempotentRoute route) {
        return Flux.fromIterable(mappings)
                .concatMap(mapping -> mapping.getHandler(exchange))
                .next()
                .ofType(HandlerMethod.class)
                .flatMap(this::passes)
                .defaultIfEmpty(true)
                .onErrorResume(
                        e -> !(e instanceof AccessDeniedException || e instanceof AuthenticationException),
                        e -> refused(route, e));
    }

    private static Mono<Boolean> refused(IdempotentRoute route, Throwable e) {
        LOG.warn(
                "A stored answer of {} was not given, for a check of its handler could not be made; give a"
                        + " ReactiveReplayAuthorizer bean: {}",
                route,
                e.toString());
        return Mono.just(false);
    }

    private Mono<Boolean> passes(HandlerMethod handler) {
        return Flux.fromIterable(security.of(handler))
                .concatMap(check -> passes(handler, check))
                .all(passed -> passed);
    }

    private static Mono<Boolean> passes(HandlerMethod handler, AuthorizationAdvisor check) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance()
                .getAdapter(handler.getMethod().getReturnType());
        HandlerInvocation invocation =
                new HandlerInvocation(handler, () -> adapter == null ? null : adapter.fromPublisher(Mono.empty()));
        return Mono.defer(() -> checked(check, invocation, adapter))
                .onErrorResume(e -> invocation.reached(), e -> Mono.empty())
                .then(Mono.fromSupplier(invocation::reached));
    }

    private static Mono<Void> checked(
            AuthorizationAdvisor check, HandlerInvocation invocation, @Nullable ReactiveAdapter adapter) {
        try {
            Object result = check.invoke(invocation);
            return adapter == null ? Mono.empty() : Mono.when(adapter.toPublisher(result));
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }
}
