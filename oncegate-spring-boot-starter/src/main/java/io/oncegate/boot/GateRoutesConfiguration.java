package io.oncegate.boot;

import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.http.IdempotentRoute;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The routes of the gate, whichever web framework it stands in. */
@Configuration(proxyBeanMethods = false)
class GateRoutesConfiguration {
    @Bean
    @Lazy
    GateRoutes oncegateRoutes(
            OncegateProperties properties,
            ObjectProvider<IdempotentRoute> routes,
            AnnotatedRoutes annotated,
            ObjectProvider<OnceTokens> tokens) {
        HttpSettings http = properties.http();
        return GateRoutes.of(http, routes.orderedStream(), annotated, new RouteKeys(http, tokens::getIfAvailable));
    }
}
