package io.oncegate.boot;

import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Publishes the policies of protected routes in the application's OpenAPI document, where springdoc makes one. */
@AutoConfiguration(after = {MvcGateAutoConfiguration.class, WebFluxGateAutoConfiguration.class})
@ConditionalOnClass(GlobalOpenApiCustomizer.class)
@ConditionalOnBean(GateRoutes.class)
public final class OpenApiAutoConfiguration {
    @Bean
    GlobalOpenApiCustomizer oncegateOpenApiCustomizer(GateRoutes routes, OncegateProperties properties) {
        return new RouteDocumentation(routes, properties.http());
    }
}
