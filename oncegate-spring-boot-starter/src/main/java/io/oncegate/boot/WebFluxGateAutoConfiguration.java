package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.webflux.IdempotencyWebFilter;
import io.oncegate.spring.webflux.ReactiveReplayAuthorizer;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.WebFilter;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The HTTP gate of a reactive application: routes from properties, {@link IdempotentRoute} beans and annotated handlers. The
 * caller is the request's principal, else the one that a {@link ReactiveScopeResolver} bean names.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnProperty(name = "oncegate.http.enabled", matchIfMissing = true)
@Import(GateRoutesConfiguration.class)
public final class WebFluxGateAutoConfiguration {
    @Bean
    @Lazy
    AnnotatedRoutes oncegateAnnotatedRoutes(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            Environment environment,
            ObjectProvider<Oncegates> engines) {
        AnnotatedRoutes routes = AnnotatedRoutes.in(environment, engines);
        mappings.forEach(mapping -> mapping.getHandlerMethods()
                .forEach((info, handler) -> routes.add(
                        handler.getMethod(),
                        info.getMethodsCondition().getMethods(),
                        info.getPatternsCondition().getPatterns().stream()
                                .map(PathPattern::getPatternString)
                                .collect(Collectors.toSet()))));
        return routes;
    }

    @Bean
    LateWebFilter oncegateHttpGate(
            ObjectProvider<GateRoutes> routes,
            @Qualifier("claimedOncegate") ObjectProvider<Oncegate> claimed,
            ObjectProvider<ReactiveScopeResolver> scopes,
            ObjectProvider<ReactiveReplayAuthorizer> replays,
            OncegateProperties properties) {
        return new LateWebFilter(
                () -> gate(routes.getObject(), claimed, scopes, replays, properties.http()),
                properties.http().filterOrder());
    }

    private static @Nullable WebFilter gate(
            GateRoutes routes,
            ObjectProvider<Oncegate> claimed,
            ObjectProvider<ReactiveScopeResolver> scopes,
            ObjectProvider<ReactiveReplayAuthorizer> replays,
            HttpSettings settings) {
        List<IdempotentRoute> bound = Stream.concat(routes.sameTransaction().stream(), routes.ladder().stream())
                .toList();
        if (!bound.isEmpty()) {
            throw new IllegalStateException("the route " + bound.get(0)
                    + " asks for the same-transaction mode or a ladder, which is bound to a thread and so is not to be had in a reactive"
                    + " application; use the claimed mode");
        }
        if (routes.claimed().isEmpty()) {
            return null;
        }
        ReactiveScopeResolver caller = caller(scopes, settings);
        IdempotencyWebFilter.Builder gate =
                GateFactory.set(IdempotencyWebFilter.builder(claimed.getObject(), caller), settings, routes.claimed());
        replays.ifAvailable(gate::replays);
        return gate.build();
    }

    /** Who a request comes from. */
    static ReactiveScopeResolver caller(ObjectProvider<ReactiveScopeResolver> scopes, HttpSettings settings) {
        ReactiveScopeResolver own = scopes.getIfAvailable();
        if (own == null) {
            return ReactiveScopeResolver.principal();
        }
        return settings.principalFirst() ? ReactiveScopeResolver.principal().orElse(own) : own;
    }

    /** Where there is Spring Security, the checks of handler methods are made before a stored answer is given. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.security.authorization.method.AuthorizationAdvisor")
    static class Replays {
        @Bean
        @Lazy
        @ConditionalOnMissingBean
        ReactiveReplayAuthorizer oncegateReplayAuthorizer(
                ObjectProvider<RequestMappingHandlerMapping> mappings, ListableBeanFactory beans) {
            return new ReactiveMethodSecurityReplays(mappings.orderedStream().toList(), new MethodSecurity(beans));
        }
    }
}
