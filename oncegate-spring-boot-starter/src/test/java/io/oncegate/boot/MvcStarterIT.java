package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.RedisServers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A servlet application with Spring Security, springdoc and Redis that only writes properties. */
class MvcStarterIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    @EnableMethodSecurity
    static class Application {
        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(basic -> {})
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/v3/**")
                            .permitAll()
                            .anyRequest()
                            .hasRole("PAYER"))
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann").password("{noop}x").roles("PAYER").build(),
                    User.withUsername("bob").password("{noop}x").roles("PAYER").build());
        }
    }

    @RestController
    static class Payments {
        private final AtomicInteger runs = new AtomicInteger();

        @PostMapping("/payments")
        @ResponseStatus(HttpStatus.CREATED)
        String pay(@RequestBody String body) {
            return "payment " + runs.incrementAndGet() + " " + body;
        }

        @PreAuthorize("hasRole('CASHIER')")
        @PostMapping("/cash")
        String cash(@RequestBody String body) {
            return "cash " + runs.incrementAndGet() + " " + body;
        }

        @PostMapping("/notes")
        String note(@RequestBody String body) {
            return "note " + runs.incrementAndGet() + " " + body;
        }
    }

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "oncegate.redis.uri=" + RedisServers.standalone().uri(),
                        "oncegate.redis.timeout=10s",
                        "oncegate.redis.prefix=mvc-starter",
                        "oncegate.http.routes[0].path=/payments",
                        "oncegate.http.routes[0].operation=payment.make",
                        "oncegate.http.routes[0].retention=48h",
                        "oncegate.http.routes[2].path=/cash",
                        "oncegate.http.routes[2].operation=cash.take",
                        "oncegate.http.routes[1].path=/notes",
                        "oncegate.http.routes[1].operation=note.write",
                        "oncegate.http.routes[1].key-field=/id",
                        "oncegate.http.routes[1].key-required=false")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void protectsARouteThatStandsInTheProperties() throws Exception {
        HttpResponse<String> first = post("ann", "/payments", "\"k-1\"", "10");
        HttpResponse<String> again = post("ann", "/payments", "\"k-1\"", "10");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(post("ann", "/payments", "\"k-1\"", "99").statusCode()).isEqualTo(422);
        assertThat(post("ann", "/payments", null, "10").statusCode()).isEqualTo(400);
    }

    @Test
    void takesTheCallerFromSpringSecurity() throws Exception {
        HttpResponse<String> ann = post("ann", "/payments", "\"shared\"", "10");
        HttpResponse<String> bob = post("bob", "/payments", "\"shared\"", "10");
        assertThat(bob.statusCode()).isEqualTo(201);
        assertThat(bob.body()).isNotEqualTo(ann.body());
        assertThat(post("eve", "/payments", "\"shared\"", "10").statusCode()).isEqualTo(401);
    }

    @Test
    @DisplayName("C76: the check of the handler method is made again before a stored answer is given")
    void aRoleThatWasRevokedIsNotShownTheAnswer() throws Exception {
        InMemoryUserDetailsManager users = application.getBean(InMemoryUserDetailsManager.class);
        users.createUser(User.withUsername("kim")
                .password("{noop}x")
                .roles("PAYER", "CASHIER")
                .build());
        HttpResponse<String> first = post("kim", "/cash", "\"c\"", "10");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(post("kim", "/cash", "\"c\"", "10").body()).isEqualTo(first.body());

        users.updateUser(
                User.withUsername("kim").password("{noop}x").roles("PAYER").build());
        HttpResponse<String> refused = post("kim", "/cash", "\"c\"", "10");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).doesNotContain("cash 1");
        assertThat(post("kim", "/payments", "\"c\"", "10").statusCode()).isEqualTo(201);
    }

    @Test
    void readsTheKeyFromAField() throws Exception {
        HttpResponse<String> first = post("ann", "/notes", null, "{\"id\":\"n1\"}");
        HttpResponse<String> again = post("ann", "/notes", null, "{\"id\":\"n1\"}");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(post("ann", "/notes", null, "{}").body())
                .isNotEqualTo(post("ann", "/notes", null, "{}").body());
    }

    @Test
    void publishesThePolicyInTheOpenApiDocument() throws Exception {
        HttpResponse<String> document =
                HTTP.send(HttpRequest.newBuilder(uri("/v3/api-docs")).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(document.statusCode()).isEqualTo(200);
        JsonNode paths = JsonMapper.builder().build().readTree(document.body()).get("paths");
        JsonNode byField = paths.get("/notes").get("post");
        assertThat(byField.has("parameters")).isFalse();
        assertThat(byField.get("x-idempotency").get("key").asString()).contains("/id");
        JsonNode post = paths.get("/payments").get("post");
        JsonNode header = post.get("parameters").get(0);
        assertThat(header.get("name").asString()).isEqualTo("Idempotency-Key");
        assertThat(header.get("in").asString()).isEqualTo("header");
        assertThat(header.get("required").asBoolean()).isTrue();
        JsonNode policy = post.get("x-idempotency");
        assertThat(policy.get("operation").asString()).isEqualTo("payment.make");
        assertThat(policy.get("required").asBoolean()).isTrue();
        assertThat(policy.get("retention").asString()).isEqualTo("PT48H");
        assertThat(policy.get("keptStatuses").asString()).startsWith("200-399").contains("404");
        assertThat(post.get("responses").propertyNames()).contains("201", "400", "409", "412", "422", "503");
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path);
    }

    private static HttpResponse<String> post(String user, String path, String key, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString((user + ":x").getBytes(StandardCharsets.UTF_8)))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
