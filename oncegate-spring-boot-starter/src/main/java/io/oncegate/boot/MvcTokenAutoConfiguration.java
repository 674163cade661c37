package io.oncegate.boot;

import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.mvc.ScopeResolver;
import io.oncegate.spring.token.TokenController;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.web.servlet.DispatcherServlet;

/** The endpoint of a servlet application that issues one-time tokens, where {@code oncegate.tokens.purposes} names what for. */
@AutoConfiguration(after = TokenAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(name = "oncegate.tokens.enabled", matchIfMissing = true)
@Conditional(TokenConditions.Issued.class)
@ConditionalOnBean(OnceTokens.class)
public final class MvcTokenAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    TokenController oncegateTokenController(
            OnceTokens tokens, ObjectProvider<ScopeResolver> scopes, OncegateProperties properties) {
        HttpSettings http = properties.http();
        return new TokenController(
                tokens,
                MvcGateAutoConfiguration.caller(scopes, http),
                properties.tokens().purposes(),
                http.refusalOfUnknown(),
                http.pauseWhileDown());
    }
}
