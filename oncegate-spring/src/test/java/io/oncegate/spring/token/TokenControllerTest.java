package io.oncegate.spring.token;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.spring.mvc.ScopeResolver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import reactor.core.publisher.Mono;

/** On a real Tomcat. */
class TokenControllerTest extends TokenEndpoint {
    private static final ScopeResolver SCOPES = request -> {
        String user = request.getHeader("X-User");
        return user == null ? null : Scope.of(user);
    };

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class
    })
    static class App {}

    @Override
    ConfigurableApplicationContext start(
            OnceTokens issuing, List<String> purposes, int unknownCallerStatus, Map<String, Object> properties) {
        TokenController controller = unknownCallerStatus == 401
                ? new TokenController(issuing, SCOPES, purposes)
                : new TokenController(issuing, SCOPES, purposes, unknownCallerStatus, Duration.ofSeconds(5));
        return run(
                new SpringApplicationBuilder(App.class)
                        .web(WebApplicationType.SERVLET)
                        .initializers((GenericApplicationContext context) ->
                                context.registerBean(TokenController.class, () -> controller)),
                properties);
    }

    @Test
    void purposesAndStatusAreChecked() {
        OnceTokens tokens =
                OnceTokens.signedWith(TokenSecret.of(1, new byte[32])).build();
        assertThatThrownBy(() -> new TokenController(tokens, SCOPES, List.of()))
                .hasMessageContaining("needs a purpose");
        assertThatThrownBy(() -> new TokenController(tokens, SCOPES, List.of("a"), 404, Duration.ofSeconds(1)))
                .hasMessageContaining("401 or 403");
    }

    @Test
    void aPurposeThatNoTokenCanHaveIsRefusedWhenItIsConfigured() {
        OnceTokens tokens =
                OnceTokens.signedWith(TokenSecret.of(1, new byte[32])).build();
        for (String purpose : List.of("", " ", "\t\n", "\ud800")) {
            List<String> purposes = List.of("order.create", purpose);
            assertThatThrownBy(() -> new TokenController(tokens, SCOPES, purposes))
                    .hasMessageContaining("needs a purpose");
            assertThatThrownBy(() -> new ReactiveTokenController(tokens, exchange -> Mono.empty(), purposes))
                    .hasMessageContaining("needs a purpose");
            assertThatThrownBy(() -> TokenKeySource.of(tokens, purpose, Duration.ofDays(1)))
                    .hasMessageContaining("needs a purpose");
        }
    }
}
