package io.oncegate.spring.token;

import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Mono;

/** On a real Netty. */
class ReactiveTokenControllerTest extends TokenEndpoint {
    private static final ReactiveScopeResolver SCOPES =
            exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"))
                    .map(Scope::of);

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        NettyReactiveWebServerAutoConfiguration.class,
        HttpHandlerAutoConfiguration.class,
        WebFluxAutoConfiguration.class,
        CodecsAutoConfiguration.class
    })
    static class App {}

    @Override
    ConfigurableApplicationContext start(
            OnceTokens issuing, List<String> purposes, int unknownCallerStatus, Map<String, Object> properties) {
        ReactiveTokenController controller = unknownCallerStatus == 401
                ? new ReactiveTokenController(issuing, SCOPES, purposes)
                : new ReactiveTokenController(issuing, SCOPES, purposes, unknownCallerStatus, Duration.ofSeconds(5));
        return run(
                new SpringApplicationBuilder(App.class)
                        .web(WebApplicationType.REACTIVE)
                        .initializers((GenericApplicationContext context) -> {
                            context.registerBean(ReactiveTokenController.class, () -> controller);
                            context.registerBean(ReactorResourceFactory.class, () -> {
                                ReactorResourceFactory own = new ReactorResourceFactory();
                                own.setUseGlobalResources(false); // else the end of one server is the end of all
                                return own;
                            });
                        }),
                properties);
    }
}
