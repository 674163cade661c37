package io.oncegate.spring.token;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenUse;
import io.oncegate.core.token.WhenFull;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The token endpoint on a real server; tests that use up a cap have callers of their own. One suite for both web frameworks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TokenEndpoint {
    private static final String JSON = "application/json";
    private static final String GOOD = "{\"purpose\":\"order.create\",\"mode\":\"strict\"}";
    private static final Pattern ANSWER =
            Pattern.compile("\\{\"token\":\"([A-Za-z0-9_-]{79})\",\"expiresAt\":\"([0-9TZ:.-]+)\"}");

    /** A store that a test takes down. */
    private static final class Store implements TokenStore {
        private final TokenStore store = new MemoryTokenStore(1_000, TimeSource.system());
        private volatile boolean down;

        private TokenStore store() {
            if (down) {
                throw new StoreUnavailableException(name(), "taken down; start it again", null);
            }
            return store;
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
            return store().issue(token, ttl, cap, whenFull);
        }

        @Override
        public boolean consume(TokenRef token, AttemptId attempt) {
            return store().consume(token, attempt);
        }

        @Override
        public boolean giveBack(TokenRef token, AttemptId attempt) {
            return store().giveBack(token, attempt);
        }
    }

    private final Store store = new Store();
    private final OnceTokens tokens = OnceTokens.signedWith(TokenSecret.of(1, new byte[32]))
            .store(store)
            .cap(3, WhenFull.REFUSE)
            .build();
    private final HttpClient client = HttpClient.newHttpClient();
    private ConfigurableApplicationContext context;

    /** Starts a server with a controller that names its callers by the header X-User. */
    abstract ConfigurableApplicationContext start(
            OnceTokens issuing, List<String> purposes, int unknownCallerStatus, Map<String, Object> properties);

    @BeforeAll
    void start() {
        context = start(tokens, List.of("order.create", "\u8ba2\u5355"), 401, Map.of());
    }

    static ConfigurableApplicationContext run(SpringApplicationBuilder builder, Map<String, Object> more) {
        return builder.properties(
                        Map.of("server.port", "0", "server.address", "127.0.0.1", "spring.main.banner-mode", "off"))
                .properties(more)
                .run();
    }

    @AfterAll
    void stop() {
        context.close();
    }

    private HttpResponse<String> post(String user, String type, String body) {
        return post(context, "/api/tokens", user, type, body.getBytes(StandardCharsets.UTF_8));
    }

    private HttpResponse<String> post(
            ConfigurableApplicationContext to, String path, String user, String type, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + to.getEnvironment().getProperty("local.server.port") + path))
                .timeout(Duration.ofSeconds(20))
                .POST(BodyPublishers.ofByteArray(body));
        if (!user.isEmpty()) {
            request.header("X-User", user);
        }
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(response.body()).contains("\"code\":\"" + code + "\"");
    }

    private TokenUse use(HttpResponse<String> response, String user) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        assertThat(header(response, "Content-Type")).isEqualTo(JSON);
        assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
        Matcher answer = ANSWER.matcher(response.body());
        assertThat(answer.matches()).as(response.body()).isTrue();
        assertThat(Instant.parse(answer.group(2))).isAfter(Instant.now());
        return tokens.use(answer.group(1), Scope.of(user), "order.create", Duration.ofDays(1));
    }

    @Test
    void issuesTokensOfBothModesToTheCaller() {
        assertThat(use(post("alice", JSON, GOOD), "alice")).isInstanceOf(TokenUse.Consumed.class);
        assertThat(use(post("alice", JSON, GOOD), "bob")).isInstanceOf(TokenUse.Refused.class);
        String replay = " { \"mode\" : \"replay\" ,\r\n\t\"purpose\":\"order\\u002ecreate\" } ";
        assertThat(use(post("alice", JSON + ";charset=utf-8", replay), "alice")).isInstanceOf(TokenUse.Replay.class);
        assertThat(use(post("alice", "application/vnd.shop+json", "{\"purpose\":\"order.create\"}"), "alice"))
                .as("replay is the default")
                .isInstanceOf(TokenUse.Replay.class);
        assertThat(post("alice", JSON, "{\"purpose\":\"\u8ba2\u5355\"}").statusCode())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "{}",
                "\"order.create\"",
                "{\"purpose\":\"order.create\"",
                "{\"purpose\":\"order.create\"}}",
                "{\"purpose\":\"order.create\"} x",
                "{\"purpose\":\"order.create\",}",
                "{\"purpose\":\"order.create\",\"purpose\":\"order.create\"}",
                "{\"purpose\":\"order.create\",\"mode\":\"STRICT\"}",
                "{\"purpose\":\"order.create\",\"mode\":\"\"}",
                "{\"purpose\":\"order.create\",\"mode\":null}",
                "{\"purpose\":\"order.create\",\"mode\":1}",
                "{\"purpose\":\"order.create\",\"mode\":[\"strict\"]}",
                "{\"purpose\":\"order.create\",\"ttl\":\"PT1H\"}",
                "{\"purpose\":{\"a\":\"b\"}}",
                "{\"purpose\":\"order.cancel\"}",
                "{\"purpose\":\"Order.create\"}",
                "{\"purpose\":\"order.create \"}",
                "{\"purpose\":\"order\\u00zzcreate\"}",
                "{\"purpose\":\"order\\qcreate\"}",
                "{\"purpose\":\"order.create\\",
                "{\"purpose\":\"\\ud800\"}",
                "{purpose:\"order.create\"}",
                "purpose=order.create"
            })
    void whatIsNotUnderstoodIsRefused(String body) {
        assertProblem(post("alice", JSON, body), 400, "token-request-invalid");
    }

    @Test
    void otherContentTypesAndBodiesAreRefused() {
        for (String type : List.of(
                "", "text/plain", "application/x-www-form-urlencoded", "nonsense", "application/json;charset=utf-16")) {
            assertProblem(post("alice", type, GOOD), 400, "token-request-invalid");
        }
        assertProblem(post("alice", JSON, GOOD + " ".repeat(100_000)), 400, "token-request-invalid");
        byte[] notUtf8 = GOOD.getBytes(StandardCharsets.UTF_8);
        notUtf8[12] = (byte) 0xff;
        assertProblem(post(context, "/api/tokens", "alice", JSON, notUtf8), 400, "token-request-invalid");
    }

    @Test
    void aRequestWithoutACallerIsRefused() {
        assertProblem(post("", JSON, GOOD), 401, "caller-unknown");
        assertProblem(post(" ", JSON, GOOD), 401, "caller-unknown");
    }

    @Test
    @DisplayName("C02c: at the cap no more tokens are issued to this caller, by choice")
    void atTheCapIssuingIsRefused() {
        for (int i = 0; i < 3; i++) {
            assertThat(post("carol", JSON, GOOD).statusCode()).isEqualTo(201);
        }
        assertProblem(post("carol", JSON, GOOD), 429, "tokens-too-many");
        assertThat(post("dave", JSON, GOOD).statusCode()).isEqualTo(201);
    }

    @Test
    @DisplayName("C88: with the store down strict tokens are not issued, and replay tokens are")
    void aStoreThatIsDownIsToldWithTheTimeToRetry() {
        store.down = true;
        HttpResponse<String> response = post("erin", JSON, GOOD);
        assertProblem(response, 503, "store-unavailable");
        assertThat(header(response, "Retry-After")).isEqualTo("5");
        assertThat(post("erin", JSON, "{\"purpose\":\"order.create\"}").statusCode())
                .isEqualTo(201);
        store.down = false;
        assertThat(post("erin", JSON, GOOD).statusCode()).isEqualTo(201);
    }

    @Test
    void pathModesAndStatusAreByChoice() {
        OnceTokens replayOnly =
                OnceTokens.signedWith(TokenSecret.of(1, new byte[32])).build();
        try (ConfigurableApplicationContext other =
                start(replayOnly, List.of("order.create"), 403, Map.of("oncegate.tokens.path", "/tickets"))) {
            byte[] strict = GOOD.getBytes(StandardCharsets.UTF_8);
            byte[] replay = GOOD.replace("strict", "replay").getBytes(StandardCharsets.UTF_8);
            assertProblem(post(other, "/tickets", "alice", JSON, strict), 400, "token-request-invalid");
            assertProblem(post(other, "/tickets", "", JSON, replay), 403, "caller-unknown");
            assertThat(post(other, "/tickets", "alice", JSON, replay).statusCode())
                    .isEqualTo(201);
        }
    }
}
