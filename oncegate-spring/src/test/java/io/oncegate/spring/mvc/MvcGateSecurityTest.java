package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateSecurity;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.IdempotentRoute;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

class MvcGateSecurityTest extends GateSecurity {
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
        String buy() {
            return "method " + runs.next("method");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @EnableMethodSecurity(proxyTargetClass = true)
    static class Security {
        @Bean
        SecurityFilterChain chain(HttpSecurity http, Buyers buyers) throws Exception {
            AuthorizationManager<RequestAuthorizationContext> buyer =
                    (authentication, context) -> new AuthorizationDecision(buyers.has(authentication.get()));
            return http.csrf(csrf -> csrf.disable())
                    .addFilterBefore(login(), AnonymousAuthenticationFilter.class)
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/orders")
                            .access(buyer)
                            .anyRequest()
                            .permitAll())
                    .build();
        }

        private static Filter login() {
            return (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-Login");
                if (user != null) {
                    SecurityContextHolder.setContext(new SecurityContextImpl(
                            UsernamePasswordAuthenticationToken.authenticated(user, "", Set.of())));
                }
                chain.doFilter(request, response);
            };
        }

        @Bean
        FilterRegistrationBean<Filter> securityFilter(Filter springSecurityFilterChain) {
            FilterRegistrationBean<Filter> bean = new FilterRegistrationBean<>(springSecurityFilterChain);
            bean.setOrder(-100); // before the gate
            bean.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR);
            return bean;
        }
    }

    @Override
    protected GateServer start(Oncegate oncegate) {
        Buyers allowed = new Buyers(buyers);
        // snippet: gate
        ScopeResolver caller = ScopeResolver.principal().and(request -> request.getHeader("X-Tenant"));
        IdempotencyFilter filter = IdempotencyFilter.builder(oncegate, caller)
                .route(IdempotentRoute.post("/orders", "order.create").build())
                .route(IdempotentRoute.post("/csv", "csv").build())
                .route(IdempotentRoute.post("/method", "method").build())
                .replays((request, route) -> !route.operation().name().equals("method")
                        || allowed.has(SecurityContextHolder.getContext().getAuthentication()))
                .build();
        // end snippet
        return MvcServer.start(filter, context -> {
            context.registerBean("buyers", Buyers.class, () -> allowed);
            context.registerBean(Security.class);
            context.registerBean(Methods.class);
        });
    }
}
