package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateSecurity;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.IdempotentRoute;
import java.util.Optional;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

class WebFluxGateSecurityTest extends GateSecurity {
    /** Who may buy. */
    public record Buyers(Set<String> names) {
        public boolean has(Authentication authentication) {
            return names.contains(authentication.getName());
        }
    }

    @RestController
    static class Methods {
        private final Runs runs;

        Methods(Runs runs) {
            this.runs = runs;
        }

        @PostMapping("/method")
        @PreAuthorize("@buyers.has(authentication)")
        Mono<String> buy() {
            return Mono.fromSupplier(() -> "method " + runs.next("method"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFluxSecurity
    @EnableReactiveMethodSecurity
    static class Security {
        @Bean
        @Order(0)
        SecurityWebFilterChain chain(ServerHttpSecurity http, Buyers buyers) {
            return http.csrf(csrf -> csrf.disable())
                    .anonymous(anonymous -> {})
                    .addFilterAt(login(), SecurityWebFiltersOrder.AUTHENTICATION)
                    .authorizeExchange(exchanges -> exchanges
                            .pathMatchers("/orders")
                            .access((authentication, context) ->
                                    authentication.map(user -> new AuthorizationDecision(buyers.has(user))))
                            .anyExchange()
                            .permitAll())
                    .build();
        }

        private static WebFilter login() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-Login");
                return user == null
                        ? chain.filter(exchange)
                        : chain.filter(exchange)
                                .contextWrite(ReactiveSecurityContextHolder.withAuthentication(
                                        UsernamePasswordAuthenticationToken.authenticated(user, "", Set.of())));
            };
        }
    }

    @Override
    protected GateServer start(Oncegate oncegate) {
        Buyers allowed = new Buyers(buyers);
        // snippet: gate
        ReactiveScopeResolver caller = ReactiveScopeResolver.principal()
                .and(exchange ->
                        Optional.ofNullable(exchange.getRequest().getHeaders().getFirst("X-Tenant")));
        IdempotencyWebFilter filter = IdempotencyWebFilter.builder(oncegate, caller)
                .route(IdempotentRoute.post("/orders", "order.create").build())
                .route(IdempotentRoute.post("/csv", "csv").build())
                .route(IdempotentRoute.post("/method", "method").build())
                .replays((exchange, route) -> ReactiveSecurityContextHolder.getContext()
                        .map(context ->
                                !route.operation().name().equals("method") || allowed.has(context.getAuthentication())))
                .build();
        // end snippet
        return FluxServer.start(filter, context -> {
            context.registerBean("buyers", Buyers.class, () -> allowed);
            context.registerBean(Security.class);
            context.registerBean(Methods.class);
        });
    }
}
