package io.oncegate.boot;

import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.token.ReactiveTokenController;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.web.reactive.DispatcherHandler;

/** The endpoint of a reactive application that issues one-time tokens, where {@code oncegate.tokens.purposes} names what for. */
@AutoConfiguration(after = TokenAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnProperty(name = "oncegate.tokens.enabled", matchIfMissing = true)
@Conditional(TokenConditions.Issued.class)
@ConditionalOnBean(OnceTokens.class)
public final class WebFluxTokenAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ReactiveTokenController oncegateTokenController(
            OnceTokens tokens, ObjectProvider<ReactiveScopeResolver> scopes, OncegateProperties properties) {
        HttpSettings http = properties.http();
        return new ReactiveTokenController(
                tokens,
                WebFluxGateAutoConfiguration.caller(scopes, http),
                properties.tokens().purposes(),
                http.refusalOfUnknown(),
                http.pauseWhileDown());
    }
}
