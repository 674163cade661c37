package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisTokenStore;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.spring.token.TokenKeySource;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One-time tokens at the gate, with strict ones in a real Redis. One suite for both web frameworks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateTokens {
    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String MULTIPART = "multipart/form-data; boundary=b";
    private static final TokenSecret SECRET = TokenSecret.of(1, new byte[32]);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int MAX_BODY = 100_000;

    private final RedisServer redis = RedisServers.standalone();
    private final TcpFault line = TcpFault.to(redis);
    private final RedisClient client = RedisClient.create();
    private final RedisBackend steady =
            RedisBackend.connecting(client, redis.uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
    private final RedisBackend shaky = RedisBackend.connecting(
            client,
            RedisURI.create(line.host(), line.port()),
            RedisOptions.defaults().withTimeout(Duration.ofMillis(500)));
    private final MemoryRecordStore records = new MemoryRecordStore();
    private final OnceTokens tokens = tokens(steady);
    private Oncegate oncegate;
    private GateServer server;

    /**
     * Starts a server whose callers are named by the header X-User, with a handler of POST /held/{status} that counts itself
     * as {@code held}, says so to {@link Runs#entered}, returns, and answers this status once {@link Runs#gate} is open.
     */
    protected abstract GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more);

    private static OnceTokens tokens(RedisBackend redis) {
        return OnceTokens.signedWith(SECRET)
                .store(new RedisTokenStore(redis))
                .giveBackOnFailure("back")
                .build();
    }

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(records).build();
        server = start(oncegate, this::routes);
    }

    private void routes(GateBuilder<?> gate) {
        gate.maxBodyBytes(MAX_BODY);
        for (String name : List.of("orders", "form", "upload")) {
            gate.route(route(name, "/" + name, tokens, name).build());
        }
        gate.route(route("put", "/t/{id}", tokens, "put", "PUT").build());
        gate.route(route("text", "/text", tokens, "text").keyOptional().build());
        gate.route(route("slow", "/slow", tokens, "back").build());
        gate.route(route("status", "/status/{status}", tokens, "back")
                .statuses(StatusRules.defaults().unknown(504))
                .build());
        gate.route(route("throws", "/throws", tokens, "back").build());
        gate.route(route("held", "/held/{status}", tokens, "back").build());
        gate.route(route("burnt", "/async/fails", tokens, "burnt").build());
        gate.route(route("csv", "/csv", tokens(shaky), "back").build());
    }

    private static IdempotentRoute.Builder route(String operation, String path, OnceTokens tokens, String purpose) {
        return route(operation, path, tokens, purpose, "POST");
    }

    private static IdempotentRoute.Builder route(
            String operation, String path, OnceTokens tokens, String purpose, String method) {
        return IdempotentRoute.of(method, path, operation)
                .key(TokenKeySource.of(tokens, purpose, Duration.ofDays(1))
                        .storeRetryAfter(Duration.ofSeconds(9))
                        .or(KeySource.header()));
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
        steady.close();
        shaky.close();
        line.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    private String token(TokenMode mode, String purpose) {
        return token(tokens, mode, "alice", purpose);
    }

    private static String token(OnceTokens from, TokenMode mode, String user, String purpose) {
        return ((TokenIssue.Issued) from.issue(Scope.of(user), purpose, mode)).token();
    }

    private HttpRequest.Builder request(String path, String type, String body) {
        return server.request(path)
                .header("X-User", "alice")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body));
    }

    private HttpRequest.Builder json(String path, String token) {
        return request(path, JSON, "{\"item\":\"A\",\"amount\":1}").header("Once-Token", token);
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) {
        return server.send(request);
    }

    /** The ways that a token comes. */
    enum Carrier {
        HEADER,
        FIELD,
        PART
    }

    private HttpRequest.Builder carried(Carrier carrier, String token, String item) {
        return switch (carrier) {
            case HEADER ->
                request("/orders", JSON, "{\"item\":\"" + item + "\",\"amount\":1}")
                        .header("Once-Token", token);
            case FIELD -> request("/form?q=1", FORM, "name=" + item + "&city=B&q=2&_once_token=" + token);
            case PART ->
                request(
                        "/upload",
                        MULTIPART,
                        "--b\r\nContent-Disposition: form-data; name=\"_once_token\"\r\n\r\n" + token
                                + "\r\n--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + item
                                + "\r\n--b\r\nContent-Disposition: form-data; name=\"one\"; filename=\"a\"\r\n\r\n1"
                                + "\r\n--b\r\nContent-Disposition: form-data; name=\"two\"; filename=\"b\"\r\n\r\n2"
                                + "\r\n--b--\r\n");
        };
    }

    private static String purpose(Carrier carrier) {
        return switch (carrier) {
            case HEADER -> "orders";
            case FIELD -> "form";
            case PART -> "upload";
        };
    }

    @ParameterizedTest
    @EnumSource
    void aReplayTokensSecondUseGetsTheFirstAnswer(Carrier carrier) {
        String token = token(TokenMode.REPLAY, purpose(carrier));
        int before = server.runs.of(purpose(carrier));
        HttpResponse<byte[]> first = send(carried(carrier, token, "A"));
        HttpResponse<byte[]> second = send(carried(carrier, token, "A"));
        assertThat(first.statusCode()).as(text(first)).isIn(200, 201);
        assertThat(replayed(first)).isFalse();
        assertThat(second.statusCode()).isEqualTo(first.statusCode());
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertProblem(send(carried(carrier, token, "B")), 422, "payload-mismatch");
        assertThat(server.runs.of(purpose(carrier))).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @EnumSource
    void aStrictTokenIsUsedOnceHoweverItComes(Carrier carrier) {
        String token = token(TokenMode.STRICT, purpose(carrier));
        int before = server.runs.of(purpose(carrier));
        assertThat(send(carried(carrier, token, "A")).statusCode()).isIn(200, 201);
        assertProblem(send(carried(carrier, token, "A")), 409, "token-used");
        assertThat(server.runs.of(purpose(carrier))).isEqualTo(before + 1);
    }

    @Test
    @DisplayName("C01: of 64 at once exactly one runs with a strict token, and nothing is recorded")
    void oneOfManyRunsWithAStrictToken() throws Exception {
        for (int round = 0; round < 3; round++) {
            String token = token(TokenMode.STRICT, "orders");
            int before = server.runs.of("orders");
            long recorded = records.size();
            List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                answers.add(server.sendAsync(json("/orders", token)));
            }
            int passed = 0;
            for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
                HttpResponse<byte[]> response = answer.get(60, TimeUnit.SECONDS);
                if (response.statusCode() == 201) {
                    passed++;
                } else {
                    assertProblem(response, 409, "token-used");
                }
            }
            assertThat(passed).isOne();
            assertThat(server.runs.of("orders")).isEqualTo(before + 1);
            assertThat(records.size()).isEqualTo(recorded);
        }
    }

    @Test
    void aTokenDecidesBesideAKey() {
        String key = key();
        String strict = token(TokenMode.STRICT, "orders");
        assertThat(send(json("/orders", strict).header("Idempotency-Key", key)).statusCode())
                .isEqualTo(201);
        assertProblem(send(json("/orders", strict).header("Idempotency-Key", key)), 409, "token-used");
        assertProblem(send(json("/orders", "none").header("Idempotency-Key", key)), 400, "token-malformed");

        String replay = token(TokenMode.REPLAY, "orders");
        HttpResponse<byte[]> first = send(json("/orders", replay).header("Idempotency-Key", key));
        assertThat(replayed(first)).isFalse();
        HttpResponse<byte[]> again = send(json("/orders", replay).header("Idempotency-Key", key()));
        assertThat(replayed(again)).isTrue();
        assertThat(again.body()).isEqualTo(first.body());

        HttpResponse<byte[]> keyAlone = send(server.json("/orders", key, "{\"item\":\"A\",\"amount\":1}"));
        assertThat(keyAlone.statusCode()).isEqualTo(201);
        assertThat(replayed(keyAlone)).isFalse();
    }

    @Test
    void twoTokensAreRefusedAndBothStayGood() {
        String one = token(TokenMode.STRICT, "form");
        String two = token(TokenMode.STRICT, "form");
        String form = "name=A&city=B&q=2";
        assertProblem(
                send(request("/form?q=1", FORM, form).header("Once-Token", one).header("Once-Token", two)),
                400,
                "token-malformed");
        assertProblem(
                send(request("/form?q=1", FORM, form).header("Once-Token", one).header("Once-Token", one)),
                400,
                "token-malformed");
        assertProblem(
                send(request("/form?q=1", FORM, form).header("Once-Token", one + ", " + two)), 400, "token-malformed");
        String field = form + "&_once_token=" + one;
        assertProblem(send(request("/form?q=1", FORM, field).header("Once-Token", two)), 400, "token-malformed");
        assertProblem(send(request("/form?q=1", FORM, field + "&_once_token=" + two)), 400, "token-malformed");
        assertThat(send(request("/form?q=1", FORM, field).header("Once-Token", one))
                        .statusCode())
                .as("the same in both places")
                .isEqualTo(200);
        assertThat(send(request("/form?q=1", FORM, form).header("Once-Token", two))
                        .statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("C02b: bad tokens are refused, run nothing, and the good one still works")
    void badTokensAreRefused(TokenMode mode) {
        int before = server.runs.of("orders");
        String good = token(mode, "orders");
        String changed = good.substring(0, 30) + (good.charAt(30) == 'A' ? 'B' : 'A') + good.substring(31);
        for (String bad : List.of("", "x", good + "A", good.substring(1), "\"" + good + "\"", "a".repeat(5_000))) {
            assertProblem(send(json("/orders", bad)), 400, "token-malformed");
        }
        assertProblem(
                send(request("/form?q=1", FORM, "name=A&city=B&q=2&_once_token=%E6%BC%94%00")), 400, "token-malformed");
        OnceTokens elsewhere = OnceTokens.signedWith(
                        TokenSecret.of(1, "another secret".repeat(3).getBytes(UTF_8)))
                .build();
        for (String bad : List.of(
                changed,
                token(elsewhere, TokenMode.REPLAY, "alice", "orders"),
                token(tokens, mode, "bob", "orders"),
                token(mode, "form"))) {
            assertProblem(send(json("/orders", bad)), 403, "token-refused");
        }
        assertThat(server.runs.of("orders")).isEqualTo(before);
        assertThat(send(json("/orders", good)).statusCode()).isEqualTo(201);
    }

    @Test
    void aTokenThatHasExpiredIsAnsweredByItsRecordAndNeverRun() {
        AtomicLong ahead = new AtomicLong();
        TimeSource system = TimeSource.system();
        MemoryRecordStore aging = new MemoryRecordStore(
                100, 1_000_000, () -> system.micros() + ahead.get(), MemoryRecordStore.DEFAULT_PURGE_MARGIN);
        try (Oncegate other = Oncegate.claimed(aging).build();
                GateServer old = start(other, this::routes)) {
            HttpRequest.Builder order = old.request("/orders")
                    .header("X-User", "alice")
                    .header("Content-Type", JSON)
                    .POST(BodyPublishers.ofString("{\"item\":\"A\",\"amount\":1}"));
            String used = token(TokenMode.REPLAY, "orders");
            String unused = token(TokenMode.REPLAY, "orders");
            HttpResponse<byte[]> first = old.send(order.copy().header("Once-Token", used));
            assertThat(first.statusCode()).isEqualTo(201);
            ahead.addAndGet(TimeUnit.MINUTES.toMicros(11));
            HttpResponse<byte[]> late = old.send(order.copy().header("Once-Token", used));
            assertThat(late.statusCode()).isEqualTo(201);
            assertThat(late.body()).isEqualTo(first.body());
            assertThat(replayed(late)).isTrue();
            assertProblem(old.send(order.copy().header("Once-Token", unused)), 403, "token-expired");
            ahead.addAndGet(TimeUnit.HOURS.toMicros(25));
            assertProblem(old.send(order.copy().header("Once-Token", used)), 403, "token-expired");
            assertThat(old.runs.of("orders")).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/status/503", "/status/429", "/status/400", "/throws"})
    @DisplayName("C05a: after a failure with nothing done a strict token is given back, where that is chosen")
    void aFailureGivesTheTokenBack(String path) {
        String counted = path.substring(1).replace("/", "");
        int before = server.runs.of(counted);
        String token = token(TokenMode.STRICT, "back");
        HttpResponse<byte[]> first = send(json(path, token));
        assertThat(first.statusCode()).isIn(503, 429, 400, 500);
        assertThat(send(json(path, token)).statusCode()).isEqualTo(first.statusCode());
        assertThat(server.runs.of(counted)).isEqualTo(before + 2);
        assertThat(send(json("/status/200", token)).statusCode()).isEqualTo(200);
        assertProblem(send(json("/status/200", token)), 409, "token-used");
    }

    @ParameterizedTest
    @CsvSource({
        "/async/fails,burnt,500",
        "/status/409,back,409",
        "/status/404,back,404",
        "/status/302,back,302",
        "/status/504,back,504"
    })
    @DisplayName("C05a: a failure burns the token where giving back is not chosen; what is kept or unknown always does")
    void whatIsNotGivenBackIsBurnt(String path, String purpose, int status) {
        String token = token(TokenMode.STRICT, purpose);
        assertThat(send(json(path, token)).statusCode()).isEqualTo(status);
        assertProblem(send(json(path, token)), 409, "token-used");
    }

    @ParameterizedTest
    @EnumSource
    void aBodyThatIsNotReadBurnsNothing(TokenMode mode) throws IOException {
        int before = server.runs.of("orders") + server.runs.of("form");
        String token = token(mode, "orders");
        assertProblem(
                send(request("/orders", JSON, "x".repeat(MAX_BODY + 1)).header("Once-Token", token)),
                413,
                "body-too-large");
        assertThat(server.raw(
                        "POST /orders HTTP/1.1\r\nHost: localhost\r\nX-User: alice\r\nOnce-Token: " + token
                                + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}",
                        true))
                .isIn(0, 400);
        String field = token(mode, "form");
        assertProblem(
                send(request("/form?q=1", FORM, "name=%zz&_once_token=" + field).header("Once-Token", field)),
                400,
                "body-invalid");
        assertThat(server.runs.of("orders") + server.runs.of("form")).isEqualTo(before);
        assertThat(send(json("/orders", token)).statusCode()).isEqualTo(201);
        assertThat(send(request("/form?q=1", FORM, "name=A&city=B&q=2&_once_token=" + field))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    @DisplayName("C76: without a caller a token is refused, also where keys are optional, and stays good")
    void anUnknownCallerBurnsNothing() {
        for (String path : List.of("/orders", "/text")) {
            int before = server.runs.of(path.substring(1));
            for (TokenMode mode : TokenMode.values()) {
                String token = token(mode, path.substring(1));
                HttpRequest.Builder nobody = server.request(path)
                        .header("Content-Type", JSON)
                        .header("Once-Token", token)
                        .POST(BodyPublishers.ofString("{\"item\":\"A\",\"amount\":1}"));
                assertProblem(send(nobody.copy()), 401, "caller-unknown");
                assertThat(server.runs.of(path.substring(1))).isEqualTo(before);
                assertThat(send(nobody.copy().header("X-User", "alice")).statusCode())
                        .isIn(200, 201);
                before++;
            }
        }
    }

    @Test
    @DisplayName("C88: with the store of tokens down strict ones are refused and run nothing, and replay tokens work")
    void aStoreThatIsDownIsA503() {
        int before = server.runs.of("csv");
        String strict = token(TokenMode.STRICT, "back");
        line.down();
        try {
            HttpResponse<byte[]> down = send(json("/csv", strict));
            assertProblem(down, 503, "store-unavailable");
            assertThat(down.headers().firstValue("Retry-After")).contains("9");
            assertThat(server.runs.of("csv")).isEqualTo(before);
            HttpRequest.Builder replay = json("/csv", token(TokenMode.REPLAY, "back"));
            assertThat(send(replay.copy()).statusCode()).isEqualTo(202);
            assertThat(replayed(send(replay.copy()))).isTrue();
        } finally {
            line.up();
        }
        Set<Integer> statuses = new HashSet<>();
        Await.until("the store is back", LIMIT, () -> {
            int status = send(json("/csv", token(TokenMode.STRICT, "back"))).statusCode();
            statuses.add(status);
            return status == 202;
        });
        assertThat(statuses).isSubsetOf(202, 503);
        int after = server.runs.of("csv");
        assertThat(send(json("/csv", strict)).statusCode()).isIn(202, 503);
        assertThat(server.runs.of("csv")).isLessThanOrEqualTo(after + 1);
    }

    @Test
    @DisplayName("C85: a client that hangs up does not give the token back while the handler runs")
    void aTokenOutlivesItsClient() throws Exception {
        for (int status : new int[] {200, 503}) {
            String token = token(TokenMode.STRICT, "back");
            int before = server.runs.of("held");
            server.runs.hold();
            hangUp("/held/" + status, token);
            assertProblem(send(json("/held/" + status, token)), 409, "token-used");
            server.runs.gate.countDown();
            server.runs.left.await();
            if (status == 503) {
                Set<Integer> answers = new HashSet<>();
                Await.until("the token is given back at the handler's end", LIMIT, () -> {
                    int again = send(json("/held/" + status, token)).statusCode();
                    answers.add(again);
                    return again == 503;
                });
                assertThat(answers).isSubsetOf(409, 503);
                assertThat(server.runs.of("held")).isEqualTo(before + 2);
            } else {
                assertProblem(send(json("/held/" + status, token)), 409, "token-used");
                assertThat(server.runs.of("held")).isEqualTo(before + 1);
            }
        }
    }

    private void hangUp(String path, String token) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nX-User: alice\r\nOnce-Token: " + token
                                    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                            .getBytes(UTF_8));
            server.runs.entered.await();
        }
    }

    @Test
    @DisplayName("C05b: an asynchronous handler's token is given back at its real end, and by its own use alone")
    void anAsynchronousFailureGivesTheTokenBackAtItsEnd() throws Exception {
        String token = token(TokenMode.STRICT, "back");
        int before = server.runs.of("held");
        server.runs.hold();
        CompletableFuture<HttpResponse<byte[]>> first = server.sendAsync(json("/held/503", token));
        server.runs.entered.await();
        for (int i = 0; i < 3; i++) {
            assertProblem(send(json("/held/503", token)), 409, "token-used");
        }
        assertThat(first).isNotDone();
        server.runs.gate.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
        assertThat(send(json("/held/200", token)).statusCode()).isEqualTo(200);
        assertProblem(send(json("/held/200", token)), 409, "token-used");
        assertThat(server.runs.of("held")).isEqualTo(before + 2);
    }

    @Test
    @DisplayName("C75: one token is for one request, whichever resource that names")
    void oneTokenIsForOneResource() {
        String token = token(TokenMode.REPLAY, "put");
        int before = server.runs.of("t");
        assertThat(put("/t/1", token).statusCode()).isEqualTo(200);
        assertThat(replayed(put("/t/1", token))).isTrue();
        assertProblem(put("/t/2", token), 422, "payload-mismatch");
        assertThat(server.runs.of("t")).isEqualTo(before + 1);
    }

    private HttpResponse<byte[]> put(String path, String token) {
        return send(server.request(path)
                .header("X-User", "alice")
                .header("Once-Token", token)
                .PUT(BodyPublishers.noBody()));
    }
}
