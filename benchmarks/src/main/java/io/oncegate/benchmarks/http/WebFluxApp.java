package io.oncegate.benchmarks.http;

import io.oncegate.spring.webflux.IdempotencyWebFilter;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;

/** Netty with Spring WebFlux as Spring Boot sets it up. */
final class WebFluxApp {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        NettyReactiveWebServerAutoConfiguration.class,
        HttpHandlerAutoConfiguration.class,
        WebFluxAutoConfiguration.class,
        ErrorWebFluxAutoConfiguration.class,
        CodecsAutoConfiguration.class,
        JacksonAutoConfiguration.class
    })
    static class App {}

    private WebFluxApp() {}

    static OrderServer start(@Nullable IdempotencyWebFilter gate) {
        AtomicLong runs = new AtomicLong();
        return new OrderServer(
                new SpringApplicationBuilder(App.class)
                        .web(WebApplicationType.REACTIVE)
                        .properties(Map.of(
                                "server.port", "0",
                                "server.address", "127.0.0.1",
                                "spring.main.banner-mode", "off"))
                        .initializers((GenericApplicationContext context) -> {
                            context.registerBean(OrderController.class, () -> new OrderController(runs));
                            context.registerBean(ReactorResourceFactory.class, () -> {
                                ReactorResourceFactory own = new ReactorResourceFactory();
                                own.setUseGlobalResources(false); // else the end of one server is the end of all
                                return own;
                            });
                            if (gate != null) {
                                context.registerBean("gate", IdempotencyWebFilter.class, () -> gate);
                            }
                        })
                        .run(),
                runs);
    }
}
