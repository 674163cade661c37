package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A reactive application that only writes properties, and names its callers by a bean. */
class WebFluxStarterIT {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = {DataSourceAutoConfiguration.class, ReactiveWebSecurityAutoConfiguration.class})
    static class Application {
        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        ReactiveScopeResolver callers() {
            return exchange -> Mono.justOrEmpty(
                            exchange.getRequest().getHeaders().getFirst("X-User"))
                    .map(Scope::of);
        }
    }

    @RestController
    static class Payments {
        private final AtomicInteger runs = new AtomicInteger();

        @PostMapping("/payments")
        Mono<String> pay(@RequestBody String body) {
            return Mono.fromSupplier(() -> "payment " + runs.incrementAndGet() + " " + body);
        }
    }

    @Test
    void protectsARouteThatStandsInTheProperties() throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "oncegate.store=memory",
                        "oncegate.http.routes[0].path=/payments",
                        "oncegate.http.routes[0].operation=payment.make")
                .run()) {
            HttpResponse<String> first = post(application, "ann");
            HttpResponse<String> again = post(application, "ann");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
            assertThat(post(application, "bob").body()).isNotEqualTo(first.body());
            assertThat(post(application, null).statusCode()).isEqualTo(401);
        }
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext application, String user) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                        + application.getEnvironment().getProperty("local.server.port") + "/payments"))
                .header("Idempotency-Key", "\"k\"")
                .POST(HttpRequest.BodyPublishers.ofString("10"));
        if (user != null) {
            request.header("X-User", user);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
