package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.spring.annotation.Idempotent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A reactive application with method security: one annotation beside the other. */
class SecuredWebFluxIT {
    private static final ConcurrentHashMap<String, String> ROLES = new ConcurrentHashMap<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    @EnableWebFluxSecurity
    @EnableReactiveMethodSecurity
    static class Application {
        @Bean
        Till till() {
            return new Till();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .httpBasic(basic -> {})
                    .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                    .build();
        }

        @Bean
        ReactiveUserDetailsService users() {
            return name -> Mono.justOrEmpty(ROLES.get(name))
                    .map(role -> User.withUsername(name)
                            .password("{noop}x")
                            .roles(role)
                            .build());
        }
    }

    @RestController
    static class Till {
        private final AtomicInteger runs = new AtomicInteger();

        @Idempotent("cash.take")
        @PreAuthorize("hasRole('CASHIER')")
        @PostMapping("/cash")
        public Mono<String> cash(@RequestBody String body) {
            return Mono.fromSupplier(() -> "cash " + runs.incrementAndGet() + " " + body);
        }
    }

    @Test
    @DisplayName("C76: the check of the handler method is made again before a stored answer is given")
    void aRoleThatWasRevokedIsNotShownTheAnswer() throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "oncegate.store=memory")
                .run()) {
            ROLES.put("kim", "CASHIER");
            HttpResponse<String> first = post(application);
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(post(application).body()).isEqualTo(first.body());

            ROLES.put("kim", "PAYER");
            HttpResponse<String> refused = post(application);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).doesNotContain("cash 1");

            ROLES.put("kim", "CASHIER");
            assertThat(post(application).body()).isEqualTo(first.body());
        }
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext application) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + "/cash"))
                .header("Idempotency-Key", "\"k\"")
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString("kim:x".getBytes(StandardCharsets.UTF_8)))
                .POST(HttpRequest.BodyPublishers.ofString("10"))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
