package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.webflux.IdempotencyWebFilter;
import io.oncegate.spring.webflux.ReactiveReplayAuthorizer;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.WebFilter;

/**
 * The HTTP gate of a reactive application: routes from properties, {@link IdempotentRoute} beans and annotated handlers. The
 * caller is the request's principal, else the one that a {@link ReactiveScopeResolver} bean names.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnProperty(name = "oncegate.http.enabled", matchIfMissing = true)
public final class WebFluxGateAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    GateRoutes oncegateRoutes(
            OncegateProperties properties, ObjectProvider<IdempotentRoute> routes, ObjectProvider<OnceTokens> tokens) {
        HttpSettings http = properties.http();
        return GateRoutes.of(http, routes.orderedStream(), new RouteKeys(http, tokens::getIfAvailable));
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
        if (!routes.sameTransaction().isEmpty()) {
            throw new IllegalStateException(
                    "the route " + routes.sameTransaction().get(0)
                            + " asks for the same-transaction mode, which is bound to a thread and so is not to be had in a reactive"
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
}
