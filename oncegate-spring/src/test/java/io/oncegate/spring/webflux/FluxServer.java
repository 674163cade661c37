package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.ReactiveMultipartAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Mono;

/** A real Netty with Spring WebFlux, the test controllers and a gate before them. */
final class FluxServer extends GateServer {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        NettyReactiveWebServerAutoConfiguration.class,
        HttpHandlerAutoConfiguration.class,
        WebFluxAutoConfiguration.class,
        ErrorWebFluxAutoConfiguration.class,
        ReactiveMultipartAutoConfiguration.class,
        CodecsAutoConfiguration.class,
        JacksonAutoConfiguration.class
    })
    static class App {}

    private FluxServer(IdempotencyWebFilter filter, Runs runs, Consumer<GenericApplicationContext> beans) {
        super(run(filter, runs, beans), runs);
    }

    private static ConfigurableApplicationContext run(
            IdempotencyWebFilter filter, Runs runs, Consumer<GenericApplicationContext> beans) {
        return new SpringApplicationBuilder(App.class, FluxControllers.class)
                .web(WebApplicationType.REACTIVE)
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "spring.main.banner-mode", "off",
                        "spring.http.codecs.max-in-memory-size", "60MB",
                        "spring.web.error.include-message", "always"))
                .initializers((GenericApplicationContext c) -> {
                    c.registerBean(Runs.class, () -> runs);
                    c.registerBean(ReactorResourceFactory.class, () -> {
                        ReactorResourceFactory own = new ReactorResourceFactory();
                        own.setUseGlobalResources(false); // else the end of one server is the end of all
                        return own;
                    });
                    c.registerBean("gate", IdempotencyWebFilter.class, () -> filter);
                    beans.accept(c);
                })
                .run();
    }

    static FluxServer start(Oncegate oncegate, Consumer<IdempotencyWebFilter.Builder> more) {
        IdempotencyWebFilter.Builder builder = IdempotencyWebFilter.builder(oncegate, exchange -> {
            String user = exchange.getRequest().getHeaders().getFirst("X-User");
            return user == null ? Mono.empty() : Mono.just(Scope.of(user));
        });
        more.accept(builder);
        return start(builder.build(), context -> {});
    }

    static FluxServer start(IdempotencyWebFilter filter, Consumer<GenericApplicationContext> beans) {
        return new FluxServer(filter, new Runs(), beans);
    }
}
