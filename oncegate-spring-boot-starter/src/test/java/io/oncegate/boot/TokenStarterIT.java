package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.mvc.ScopeResolver;
import io.oncegate.spring.webflux.ReactiveScopeResolver;
import io.oncegate.testsupport.RedisServers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Servlet and reactive applications with one-time tokens in Redis that only write properties, and name their callers. */
class TokenStarterIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {
                DataSourceAutoConfiguration.class,
                ServletWebSecurityAutoConfiguration.class,
                ReactiveWebSecurityAutoConfiguration.class
            })
    static class Application {
        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        ScopeResolver callers() {
            return request -> {
                String user = request.getHeader("X-User");
                return user == null ? null : Scope.of(user);
            };
        }

        @Bean
        ReactiveScopeResolver reactiveCallers() {
            return exchange -> Mono.justOrEmpty(
                            exchange.getRequest().getHeaders().getFirst("X-User"))
                    .map(Scope::of);
        }
    }

    @RestController
    static class Payments {
        private final AtomicInteger runs = new AtomicInteger();

        @PostMapping("/payments")
        String pay() {
            return "payment " + runs.incrementAndGet();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void issuesTokensAndTakesThem(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(type)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "oncegate.redis.uri=" + RedisServers.standalone().uri(),
                        "oncegate.redis.timeout=10s",
                        "oncegate.redis.prefix=token-starter-" + type,
                        "oncegate.tokens.secret=" + Base64.getEncoder().encodeToString(new byte[32]),
                        "oncegate.tokens.purposes=pay",
                        "oncegate.tokens.path=/tickets",
                        "oncegate.http.unknown-caller-status=403",
                        "oncegate.http.key-header=X-Key",
                        "oncegate.http.routes[0].path=/payments",
                        "oncegate.http.routes[0].operation=payment.make",
                        "oncegate.http.routes[0].tokens=true",
                        "oncegate.http.routes[0].token-purpose=pay")
                .run()) {
            String strict = token(application, "strict");
            String paid = post(application, "ann", "/payments", "Once-Token", strict, "")
                    .body();
            assertThat(paid).isEqualTo("payment 1");
            assertThat(post(application, "ann", "/payments", "Once-Token", strict, "")
                            .statusCode())
                    .isEqualTo(409);

            String replay = token(application, "replay");
            String first = post(application, "ann", "/payments", "Once-Token", replay, "")
                    .body();
            assertThat(first).isEqualTo("payment 2");
            assertThat(post(application, "ann", "/payments", "Once-Token", replay, "")
                            .body())
                    .isEqualTo(first);
            assertThat(post(application, "bob", "/payments", "Once-Token", replay, "")
                            .statusCode())
                    .isEqualTo(403);

            assertThat(post(application, "ann", "/payments", "X-Key", "\"k\"", "")
                            .body())
                    .as("a key does as well")
                    .isEqualTo("payment 3");
            assertThat(post(application, "ann", "/payments", "X-Key", "\"k\"", "")
                            .body())
                    .isEqualTo("payment 3");
            assertThat(post(application, "ann", "/payments", "X-Other", "", "").statusCode())
                    .isEqualTo(400);
            assertThat(post(application, null, "/tickets", "X-Other", "", "{}").statusCode())
                    .isEqualTo(403);
        }
    }

    private static String token(ConfigurableApplicationContext application, String mode) throws Exception {
        HttpResponse<String> issued =
                post(application, "ann", "/tickets", "X-Other", "", "{\"purpose\":\"pay\",\"mode\":\"" + mode + "\"}");
        assertThat(issued.statusCode()).as(issued.body()).isEqualTo(201);
        Matcher token = TOKEN.matcher(issued.body());
        assertThat(token.find()).isTrue();
        return token.group(1);
    }

    private static HttpResponse<String> post(
            ConfigurableApplicationContext application,
            String user,
            String path,
            String header,
            String value,
            String body)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path))
                .header("Content-Type", "application/json")
                .header(header, value)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (user != null) {
            request.header("X-User", user);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
