package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeyRequest;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.ProblemCode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where keys stand, and what they are bound to. One suite for both web frameworks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateKeys {
    private final List<How> ends = new CopyOnWriteArrayList<>();
    private final MemoryRecordStore store = new MemoryRecordStore();
    private Oncegate oncegate;
    private GateServer server;

    /** Starts a server whose callers are named by the header X-User. */
    protected abstract GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more);

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(store).build();
        server = start(oncegate, this::routes);
    }

    private void routes(GateBuilder<?> gate) {
        gate.route(IdempotentRoute.post("/orders", "order.create")
                .key(KeySource.jsonField("/requestId"))
                .build());
        gate.route(IdempotentRoute.post("/text", "text")
                .key(KeySource.jsonField("/requestId"))
                .keyOptional()
                .build());
        gate.route(IdempotentRoute.post("/form", "form")
                .key(KeySource.formField("requestId"))
                .build());
        gate.route(IdempotentRoute.post("/upload", "upload")
                .key(KeySource.header().or(KeySource.formField("requestId")))
                .build());
        gate.route(IdempotentRoute.post("/csv", "csv")
                .key(KeySource.queryParameter("requestId"))
                .build());
        gate.route(IdempotentRoute.of("PUT", "/t/{id}", "t.put")
                .policies(operation -> operation.birthTime(Duration.ofHours(1), Duration.ofMinutes(1)))
                .build());
        gate.route(IdempotentRoute.post("/key", "key")
                .key(this::token)
                .keyOptional()
                .build());
        gate.route(IdempotentRoute.post("/throws", "throws")
                .key(this::token)
                .failures(failure -> FailureKind.NOBODY_KNOWS)
                .build());
        gate.route(IdempotentRoute.post("/status/{status}", "status")
                .key(this::token)
                .build());
    }

    /** A source such as one-time tokens are: refuses by itself, lets run unrecorded, and wants to know the end. */
    private KeyReading token(KeyRequest request) {
        List<String> tokens =
                request.headers("Once-Token").isEmpty() ? request.formFields("_once") : request.headers("Once-Token");
        if (tokens.isEmpty()) {
            return new KeyReading.Missing();
        }
        String token = tokens.get(0);
        if (token.equals("forged")) {
            return new KeyReading.Refused(
                    HttpProblem.of(ProblemCode.KEY_INVALID, "Forged.").withStatus(403));
        }
        return token.startsWith("strict")
                ? new KeyReading.Unrecorded(ends::add, token.equals("strict") ? null : token)
                : new KeyReading.Found(token, ends::add);
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
    }

    @BeforeEach
    void forget() {
        ends.clear();
    }

    private HttpRequest.Builder unkeyed(String path, String type, String body) {
        return server.request(path)
                .header("X-User", "alice")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body.getBytes(UTF_8)));
    }

    private static String quoted(String text) {
        return "\"" + text + "\"";
    }

    @Test
    void aKeyMayStandInTheJsonBody() {
        String order = "{\"requestId\":" + key() + ",\"item\":\"A\",\"amount\":1}";
        HttpResponse<byte[]> first = server.send(unkeyed("/orders", "application/json", order));
        HttpResponse<byte[]> second = server.send(unkeyed("/orders", "application/json", " " + order));
        assertThat(first.statusCode()).as(text(first)).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertProblem(
                server.send(unkeyed("/orders", "application/json", order.replace("1}", "2}"))),
                422,
                "payload-mismatch");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"item\":\"A\"}|key-missing",
                "[]|key-missing",
                "{\"requestId\":null}|key-invalid",
                "{\"requestId\":17}|key-invalid",
                "{\"requestId\":[\"a\"]}|key-invalid",
                "{\"requestId\":\"\"}|key-invalid",
                "{\"requestId\":\" \"}|key-invalid",
                "{\"requestId\":\"a\\u0000b\"}|key-invalid",
                "{\"requestId\":\"a\\nb\"}|key-invalid",
                "{\"requestId\":\"\\ud800\"}|key-invalid",
                "{\"requestId\":\"a\",\"requestId\":\"b\"}|body-invalid",
                "{\"requestId\":|body-invalid"
            })
    void aKeyInTheJsonBodyIsChecked(String body, String code) {
        int before = server.runs.of("orders");
        assertProblem(server.send(unkeyed("/orders", "application/json", body)), 400, code);
        assertThat(server.runs.of("orders")).isEqualTo(before);
    }

    @Test
    @DisplayName("C33: a key in a body or a query has the same limit as one in the header")
    void aKeyInABodyHasALimit() {
        for (int length : new int[] {256, 3000, 100_000}) {
            String longKey = "k".repeat(length);
            assertProblem(
                    server.send(unkeyed("/orders", "application/json", "{\"requestId\":" + quoted(longKey) + "}")),
                    400,
                    "key-invalid");
            assertProblem(
                    server.send(unkeyed("/form", "application/x-www-form-urlencoded", "requestId=" + longKey)),
                    400,
                    "key-invalid");
        }
        assertProblem(
                server.send(unkeyed("/csv?requestId=" + "k".repeat(256), "application/json", "{}")),
                400,
                "key-invalid");
        String kept = "{\"item\":\"A\",\"requestId\":" + quoted("k".repeat(255)) + "}";
        assertThat(server.send(unkeyed("/orders", "application/json", kept)).statusCode())
                .isEqualTo(201);
    }

    @Test
    void aBodyWithoutItsOptionalKeyPassesIntact() {
        for (String type : new String[] {"application/json", "text/plain"}) {
            HttpResponse<byte[]> first = server.send(unkeyed("/text", type, "{\"a\": 1 }"));
            HttpResponse<byte[]> second = server.send(unkeyed("/text", type, "{\"a\": 1 }"));
            assertThat(text(first)).as(type).startsWith("{\"a\": 1 }");
            assertThat(text(second)).isNotEqualTo(text(first));
        }
    }

    @Test
    void aKeyMayStandInAForm() {
        String form = "name=A&city=B&q=2&requestId=" + UUID.randomUUID();
        HttpResponse<byte[]> first = server.send(unkeyed("/form?q=1", "application/x-www-form-urlencoded", form));
        HttpResponse<byte[]> second = server.send(unkeyed("/form?q=1", "application/x-www-form-urlencoded", form));
        assertThat(text(first)).startsWith("A|B|1,2|");
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        String type = "application/x-www-form-urlencoded";
        assertProblem(server.send(unkeyed("/form", type, "name=A")), 400, "key-missing");
        assertProblem(server.send(unkeyed("/form", type, form + "&requestId=b")), 400, "key-invalid");
        assertProblem(server.send(unkeyed("/form", type, "requestId=a%00b")), 400, "key-invalid");
    }

    @Test
    void aKeyMayStandInAMultipartFormOrInTheHeader() {
        String body = "--b\r\nContent-Disposition: form-data; name=\"requestId\"\r\n\r\n" + UUID.randomUUID()
                + "\r\n--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nn"
                + "\r\n--b\r\nContent-Disposition: form-data; name=\"one\"; filename=\"a\"\r\n\r\n1"
                + "\r\n--b\r\nContent-Disposition: form-data; name=\"two\"; filename=\"b\"\r\n\r\n2\r\n--b--\r\n";
        HttpResponse<byte[]> first = server.send(unkeyed("/upload", "multipart/form-data; boundary=b", body));
        HttpResponse<byte[]> second = server.send(unkeyed("/upload", "multipart/form-data; boundary=b", body));
        assertThat(first.statusCode()).as(text(first)).isEqualTo(200);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        HttpResponse<byte[]> byHeader = server.send(
                unkeyed("/upload", "multipart/form-data; boundary=b", body).header("Idempotency-Key", key()));
        assertThat(replayed(byHeader)).isFalse();
        HttpResponse<byte[]> missing = server.send(
                unkeyed("/upload", "multipart/form-data; boundary=b", body.replace("\"requestId\"", "\"other\"")));
        assertProblem(missing, 400, "key-missing");
        assertThat(text(missing)).contains("the header Idempotency-Key or the form field requestId");
    }

    @Test
    void aKeyMayStandInTheQuery() {
        String path = "/csv?requestId=" + UUID.randomUUID();
        HttpResponse<byte[]> first = server.send(unkeyed(path, "application/json", "{}"));
        HttpResponse<byte[]> second = server.send(unkeyed(path, "application/json", "{}"));
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertProblem(server.send(unkeyed("/csv", "application/json", "{}")), 400, "key-missing");
        assertProblem(
                server.send(unkeyed("/csv?requestId=a&requestId=b", "application/json", "{}")), 400, "key-invalid");
        assertProblem(server.send(unkeyed("/csv?requestId=%0A", "application/json", "{}")), 400, "key-invalid");
    }

    private HttpResponse<byte[]> put(String path, String key) {
        return server.send(server.request(path)
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .PUT(BodyPublishers.noBody()));
    }

    @Test
    @DisplayName(
            "C75: on a route with variables each resource has keys of its own, and a key's birth time counts there too")
    void aResourceIsPartOfTheScope() {
        assertProblem(put("/t/1", "\"01890000-0000-7000-8000-000000000000\""), 412, "key-expired");
        assertProblem(put("/t/1", "\"fff00000-0000-7000-8000-000000000000\""), 412, "key-expired");
        String young = quoted(String.format("%012x", Instant.now().toEpochMilli())
                .replaceFirst("(.{8})(.{4})", "$1-$2-7000-8000-000000000001"));
        assertThat(text(put("/t/1", young))).startsWith("1 ");
        assertThat(text(put("/t/2", young))).startsWith("2 ");
        assertThat(replayed(put("/t/1", young))).isTrue();
        String longId = "x".repeat(2000);
        assertThat(put("/t/" + longId, young).statusCode()).isEqualTo(200);
        assertThat(replayed(put("/t/" + longId, young))).isTrue();
        assertThat(replayed(put("/t/" + longId + "y", young))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"200,SUCCEEDED", "409,REFUSED", "503,FAILED"})
    void aSourceIsToldHowItsRequestEnds(int status, How how) {
        for (String token : new String[] {UUID.randomUUID().toString(), "strict"}) {
            ends.clear();
            HttpRequest.Builder request =
                    unkeyed("/status/" + status, "application/json", "{}").header("Once-Token", token);
            assertThat(server.send(request).statusCode()).isEqualTo(status);
            assertThat(ends).as(token).containsExactly(how);
            HttpResponse<byte[]> again = server.send(request);
            boolean kept = !token.equals("strict") && status < 500;
            assertThat(replayed(again)).isEqualTo(kept);
            assertThat(ends).containsExactly(how, kept ? How.NOT_RUN : how);
        }
    }

    @Test
    @DisplayName("C05: an exception after which nobody knows burns a token, whether or not there is a record")
    void aSourceIsToldThatNobodyKnows() {
        for (String token : new String[] {UUID.randomUUID().toString(), "strict"}) {
            ends.clear();
            HttpRequest.Builder request =
                    unkeyed("/throws", "application/json", "{}").header("Once-Token", token);
            assertThat(server.send(request).statusCode()).isEqualTo(500);
            assertThat(ends).as(token).containsExactly(How.UNKNOWN);
        }
    }

    @Test
    void handlersFindTheKey() {
        for (String token : new String[] {UUID.randomUUID().toString(), "strict-7"}) {
            HttpRequest.Builder request =
                    unkeyed("/key", "application/json", "{}").header("Once-Token", token);
            assertThat(text(server.send(request))).isEqualTo("key " + token);
        }
        assertThat(text(server.send(unkeyed("/key", "application/json", "{}").header("Once-Token", "strict"))))
                .isEqualTo("key null");
        assertThat(text(server.send(unkeyed("/key", "application/json", "{}")))).isEqualTo("key null");
    }

    @Test
    void aSourceMayRefuseWithAProblemOfItsOwn() {
        int before = server.runs.of("status200");
        String form = "application/x-www-form-urlencoded";
        assertProblem(server.send(unkeyed("/status/200", form, "_once=forged")), 403, "key-invalid");
        assertThat(ends).isEmpty();
        assertThat(server.runs.of("status200")).isEqualTo(before);
        assertThat(server.send(unkeyed("/status/200", form, "_once=" + UUID.randomUUID()))
                        .statusCode())
                .isEqualTo(200);
        assertThat(ends).containsExactly(How.SUCCEEDED);
    }

    @Test
    @DisplayName("C46: another payload is refused after a restart too, and the record stays")
    void refusesAnotherPayloadAfterARestart() {
        String order = "{\"requestId\":" + key() + ",\"amount\":10}";
        HttpResponse<byte[]> first = server.send(unkeyed("/orders", "application/json", order));
        try (Oncegate again = Oncegate.claimed(store).build();
                GateServer restarted = start(again, this::routes)) {
            HttpRequest.Builder other =
                    restarted.request("/orders").header("X-User", "alice").header("Content-Type", "application/json");
            assertProblem(
                    restarted.send(
                            other.POST(BodyPublishers.ofString(order.replace("\"amount\":10", "\"amount\":99")))),
                    422,
                    "payload-mismatch");
            HttpResponse<byte[]> second = restarted.send(other.POST(BodyPublishers.ofString(order)));
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(replayed(second)).isTrue();
            assertThat(restarted.runs.of("orders")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS"})
    void safeMethodsAreUntouched(String method) {
        HttpRequest.Builder request = server.request("/orders")
                .header("Idempotency-Key", "not a key, \"at all")
                .method(method, BodyPublishers.noBody());
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> answer = server.send(request);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(replayed(answer)).isFalse();
        }
    }
}
