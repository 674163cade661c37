package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.spring.client.ScriptedServer.Answer;
import io.oncegate.spring.client.ScriptedServer.Sent;
import io.oncegate.testsupport.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;

/** What each client sends again by itself, and what not. */
class OwnRetryTest {
    private static final IdempotencyKeys KEYS = IdempotencyKeys.toAnyHost();
    private static final RetryRules RULES = RetryRules.builder()
            .maxAttempts(4)
            .maxTotalWait(Duration.ofSeconds(5))
            .backoff(Duration.ofMillis(1), Duration.ofMillis(5))
            .build();
    private static final HttpClient PLAIN =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String BODY = "{\"item\":\"A\"}";

    /** An answer as each client shows it. */
    record Shown(int status, String body) {}

    enum Client {
        REST_CLIENT {
            @Override
            Shown send(String method, String uri, String key) {
                return RestClient.builder()
                        .requestFactory(new JdkClientHttpRequestFactory(PLAIN))
                        .requestInterceptor(new IdempotentRequestInterceptor(KEYS, RULES))
                        .build()
                        .method(HttpMethod.valueOf(method))
                        .uri(uri)
                        .headers(headers -> {
                            if (key != null) {
                                headers.set("Idempotency-Key", key);
                            }
                        })
                        .body(BODY)
                        .exchange((request, response) -> new Shown(
                                response.getStatusCode().value(),
                                new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8)));
            }
        },
        WEB_CLIENT {
            @Override
            Shown send(String method, String uri, String key) {
                return webClient()
                        .method(HttpMethod.valueOf(method))
                        .uri(uri)
                        .headers(headers -> {
                            if (key != null) {
                                headers.set("Idempotency-Key", key);
                            }
                        })
                        .bodyValue(BODY)
                        .exchangeToMono(response -> response.bodyToMono(String.class)
                                .defaultIfEmpty("")
                                .map(body -> new Shown(response.statusCode().value(), body)))
                        .block();
            }
        },
        HTTP_CLIENT {
            @Override
            Shown send(String method, String uri, String key) throws Exception {
                return shown(new IdempotentHttpClient(PLAIN, KEYS, RULES)
                        .send(request(method, uri, key), BodyHandlers.ofString()));
            }
        },
        HTTP_CLIENT_ASYNC {
            @Override
            Shown send(String method, String uri, String key) throws Exception {
                return shown(new IdempotentHttpClient(PLAIN, KEYS, RULES)
                        .sendAsync(request(method, uri, key), BodyHandlers.ofString())
                        .get(60, TimeUnit.SECONDS));
            }
        };

        abstract Shown send(String method, String uri, String key) throws Exception;

        Shown post(String uri) throws Exception {
            return send("POST", uri, null);
        }
    }

    private static WebClient webClient() {
        return WebClient.builder()
                .clientConnector(new JdkClientHttpConnector(PLAIN))
                .apply(new IdempotentWebClient(KEYS, RULES))
                .build();
    }

    private static HttpRequest request(String method, String uri, String key) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(uri)).method(method, BodyPublishers.ofString(BODY));
        return (key == null ? request : request.header("Idempotency-Key", key)).build();
    }

    private static Shown shown(HttpResponse<String> response) {
        return new Shown(response.statusCode(), response.body());
    }

    @ParameterizedTest
    @EnumSource
    void passingTroubleIsTriedAgainWithTheSameKeyAndBody(Client client) throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(Answer.cut(), Answer.of(503), Answer.inProgress(), Answer.of(201))) {
            assertThat(client.post(server.uri())).isEqualTo(new Shown(201, "status 201"));

            assertThat(server.sent).hasSize(4);
            assertThat(new HashSet<>(server.sent))
                    .singleElement()
                    .extracting(Sent::body)
                    .isEqualTo(BODY);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLastAnswerIsReturnedWhole(Client client) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(502))) {
            assertThat(client.post(server.uri())).isEqualTo(new Shown(502, "status 502"));
            assertThat(server.sent).hasSize(4);
        }
        try (ScriptedServer server = new ScriptedServer(Answer.inProgress())) {
            assertThat(client.post(server.uri()))
                    .isEqualTo(new Shown(409, Answer.inProgress().body()));
            assertThat(server.sent).hasSize(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void definiteAnswersAreTheCallers(Client client) throws Exception {
        List<Answer> answers = List.of(
                Answer.of(400),
                Answer.of(404),
                Answer.of(500),
                Answer.of(429),
                Answer.problem("key-expired", 412).retryAfter("0"),
                Answer.problem("payload-mismatch", 422),
                Answer.problem("outcome-unknown", 409).retryAfter("0"),
                Answer.of(409).retryAfter("0"),
                new Answer(409, Answer.inProgress().headers(), "[" + " ".repeat(100_000) + "]"));
        for (Answer answer : answers) {
            try (ScriptedServer server = new ScriptedServer(answer)) {
                assertThat(client.post(server.uri())).isEqualTo(new Shown(answer.status(), answer.body()));
                assertThat(server.sent).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTimeTheServerNamesIsKeptOrNotWaitedForAtAll(Client client) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(429).retryAfter("0"), Answer.of(201))) {
            assertThat(client.post(server.uri()).status()).isEqualTo(201);
        }
        try (ScriptedServer server = new ScriptedServer(Answer.of(503).retryAfter("3600"), Answer.of(201))) {
            assertThat(client.post(server.uri()).status()).isEqualTo(503);
            assertThat(server.sent).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCallersKeyIsNeverReplaced(Client client) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            assertThat(client.send("POST", server.uri(), "\"mine\"").status()).isEqualTo(201);
            assertThat(server.keys()).containsExactly("\"mine\"", "\"mine\"");
        }
    }

    @ParameterizedTest
    @EnumSource
    void idempotentMethodsNeedNoKey(Client client) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(200))) {
            assertThat(client.send("PUT", server.uri(), null).status()).isEqualTo(200);
            assertThat(server.keys()).containsExactly("null", "null");
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCallHasAKeyOfItsOwn(Client client) throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(201))) {
            client.post(server.uri());
            client.post(server.uri());
            assertThat(server.keys()).doesNotHaveDuplicates().doesNotContain("null");
        }
    }

    @Test
    void whatGetsNoKeyIsSentOnce() throws Exception {
        IdempotencyKeys elsewhere = IdempotencyKeys.toHosts("shop.example.com");
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            assertThat(new IdempotentHttpClient(PLAIN, elsewhere, RULES)
                            .send(request("POST", server.uri(), null), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(503);
            assertThat(server.keys()).containsExactly("null");
        }
    }

    @Test
    void aStreamIsNotSentTwice() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri()))
                    .POST(BodyPublishers.ofInputStream(
                            () -> new ByteArrayInputStream(BODY.getBytes(StandardCharsets.UTF_8))))
                    .build();
            assertThat(new IdempotentHttpClient(PLAIN, KEYS, RULES)
                            .send(request, BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(503);
            assertThat(server.sent).hasSize(1);
        }
    }

    @Test
    void aPublisherIsAskedOnceAndItsBytesAreSentAgain() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            DataBuffer buffer = DefaultDataBufferFactory.sharedInstance.wrap(BODY.getBytes(StandardCharsets.UTF_8));
            int[] asked = {0};
            Flux<DataBuffer> once = Flux.defer(() -> asked[0]++ == 0 ? Flux.just(buffer) : Flux.empty());
            webClient()
                    .post()
                    .uri(server.uri())
                    .body(once, DataBuffer.class)
                    .retrieve()
                    .toBodilessEntity()
                    .block();
            assertThat(server.sent).extracting(Sent::body).containsExactly(BODY, BODY);
        }
    }

    @Test
    void aLargePublisherIsSentOnce() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(201))) {
            String large = "x".repeat(300_000);
            int status = webClient()
                    .post()
                    .uri(server.uri())
                    .bodyValue(large)
                    .exchangeToMono(response -> response.releaseBody()
                            .thenReturn(response.statusCode().value()))
                    .block();
            assertThat(status).isEqualTo(503);
            assertThat(server.sent).extracting(Sent::body).containsExactly(large);
        }
    }

    @Test
    void aBodyHandlerMeetsTheLastAnswerAlone(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("answer");
        try (ScriptedServer server = new ScriptedServer(
                new Answer(503, java.util.Map.of(), "a long page of trouble"), Answer.inProgress(), Answer.of(201))) {
            new IdempotentHttpClient(PLAIN, KEYS, RULES)
                    .send(request("POST", server.uri(), null), BodyHandlers.ofFile(file));
            assertThat(Files.readString(file)).isEqualTo("status 201");
        }
    }

    @Test
    void everyKindOfBodyHandlerGetsAPeekedAnswerWhole() throws Exception {
        String huge = Answer.inProgress().body() + " ".repeat(200_000);
        for (String body : List.of(Answer.problem("outcome-unknown", 409).body(), huge)) {
            Answer answer = new Answer(409, Answer.inProgress().headers(), body);
            try (ScriptedServer server = new ScriptedServer(answer)) {
                IdempotentHttpClient client = new IdempotentHttpClient(PLAIN, KEYS, RULES);
                HttpRequest request = request("POST", server.uri(), null);
                assertThat(client.send(request, BodyHandlers.ofString()).body()).isEqualTo(body);
                assertThat(client.send(request, BodyHandlers.ofInputStream())
                                .body()
                                .readAllBytes())
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo(body);
                assertThat(client.send(request, BodyHandlers.ofLines()).body()).containsExactly(body);
                assertThat(client.send(request, BodyHandlers.discarding()).body())
                        .isNull();
                assertThat(server.sent).hasSize(4);
            }
        }
    }

    @Test
    void aBodyHandlerThatThrowsEndsTheCall() throws Exception {
        for (String body : List.of(Answer.problem("outcome-unknown", 409).body(), " ".repeat(200_000))) {
            Answer answer = new Answer(409, Answer.inProgress().headers(), body);
            try (ScriptedServer server = new ScriptedServer(answer)) {
                CompletableFuture<HttpResponse<String>> sent = new IdempotentHttpClient(PLAIN, KEYS, RULES)
                        .sendAsync(request("POST", server.uri(), null), info -> {
                            throw new IllegalStateException("not this status");
                        });
                assertThatThrownBy(() -> sent.get(60, TimeUnit.SECONDS))
                        .rootCause()
                        .hasMessage("not this status");
                assertThat(server.sent).hasSize(1);
            }
        }
    }

    @Test
    void aPeekedAnswerMayBeReadInSteps() throws Exception {
        Answer answer = Answer.problem("outcome-unknown", 409);
        try (ScriptedServer server = new ScriptedServer(answer)) {
            RestClient client = RestClient.builder()
                    .requestFactory(new JdkClientHttpRequestFactory(PLAIN))
                    .requestInterceptor(new IdempotentRequestInterceptor(KEYS, RULES))
                    .build();
            String read = client.post().uri(server.uri()).exchange((request, response) -> {
                byte[] first = response.getBody().readNBytes(5);
                byte[] rest = response.getBody().readAllBytes();
                return new String(first, StandardCharsets.UTF_8) + new String(rest, StandardCharsets.UTF_8);
            });
            assertThat(read).isEqualTo(answer.body());
        }
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        RetryRules slow = RetryRules.builder()
                .maxTotalWait(Duration.ofHours(2))
                .backoff(Duration.ofHours(1), Duration.ofHours(1))
                .build();
        try (ScriptedServer server = new ScriptedServer(Answer.of(503))) {
            RestClient client = RestClient.builder()
                    .requestFactory(new JdkClientHttpRequestFactory(PLAIN))
                    .requestInterceptor(new IdempotentRequestInterceptor(KEYS, slow))
                    .build();
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            CompletableFuture<Integer> status = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                client.post().uri(server.uri()).exchange((request, response) -> {
                    flag.complete(Thread.currentThread().isInterrupted());
                    return status.complete(response.getStatusCode().value());
                });
            });
            thread.start();
            Await.until(
                    "the wait",
                    Duration.ofSeconds(30),
                    () -> thread.getState() == Thread.State.TIMED_WAITING && server.sent.size() == 1);
            thread.interrupt();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(503);
            assertThat(flag.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aCancelledFutureSendsNothingMore() throws Exception {
        RetryRules slow = RetryRules.builder()
                .maxTotalWait(Duration.ofSeconds(10))
                .backoff(Duration.ofMillis(300), Duration.ofMillis(300))
                .build();
        try (ScriptedServer server = new ScriptedServer(Answer.of(503))) {
            CompletableFuture<HttpResponse<String>> answer = new IdempotentHttpClient(PLAIN, KEYS, slow)
                    .sendAsync(request("POST", server.uri(), null), BodyHandlers.ofString());
            Await.until("the first", Duration.ofSeconds(30), () -> !server.sent.isEmpty());
            answer.cancel(true);
            assertThat(answer).isCancelled();
            int sent = server.sent.size();
            assertThat(CompletableFuture.supplyAsync(
                                    () -> server.sent.size(),
                                    CompletableFuture.delayedExecutor(900, TimeUnit.MILLISECONDS))
                            .get())
                    .isLessThanOrEqualTo(sent + 1);
        }
    }

    @Test
    void aServerThatIsNotThereIsTriedAndReported() throws Exception {
        String uri;
        try (ScriptedServer server = new ScriptedServer(Answer.of(201))) {
            uri = server.uri();
        }
        assertThatThrownBy(() -> Client.HTTP_CLIENT.post(uri)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Client.HTTP_CLIENT_ASYNC.post(uri)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> Client.REST_CLIENT.post(uri)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> Client.WEB_CLIENT.post(uri)).hasCauseInstanceOf(IOException.class);
    }
}
