package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.testsupport.Await;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules of the gate, spoken over HTTP to a running server: one suite for both web frameworks, whose controllers do the
 * same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateRules {
    private static final String ORDER = "{\"item\":\"A\",\"amount\":10}";

    private Oncegate oncegate;
    private GateServer server;

    /** Starts a server whose callers are named by the header X-User. */
    protected abstract GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more);

    /** The asynchronous kinds of answers that this framework knows. */
    protected abstract List<String> asyncKinds();

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(new MemoryRecordStore()).build();
        server = start(oncegate, GateRules::routes);
    }

    static void routes(GateBuilder<?> gate) {
        gate.maxBodyBytes(2_000_000);
        gate.memoryThreshold(64 * 1024);
        gate.route(IdempotentRoute.post("/orders", "order.create").build());
        gate.route(IdempotentRoute.post("/refunds", "refund.create").build());
        gate.route(IdempotentRoute.of("PUT", "/t/{id}", "t.put").build());
        gate.route(IdempotentRoute.post("/headers", "headers")
                .headers(HeaderRules.defaults().and("X-Shop"))
                .build());
        gate.route(IdempotentRoute.post("/status/{status}", "status").build());
        gate.route(IdempotentRoute.post("/big/{size}", "big")
                .maxResponseBytes(100_000)
                .build());
        gate.route(IdempotentRoute.post("/raw", "raw").keyOptional().build());
        gate.route(IdempotentRoute.post("/slow", "slow").build());
        for (String path : new String[] {
            "csv",
            "none",
            "empty",
            "direct",
            "redirect",
            "soldout",
            "senderror",
            "throws",
            "binary",
            "gzip",
            "image",
            "form",
            "upload",
            "text",
            "forward"
        }) {
            gate.route(IdempotentRoute.post("/" + path, path).build());
        }
        gate.route(IdempotentRoute.post("/async/{kind}", "async").build());
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
    }

    @Test
    void runsTheFirstAndReplaysTheSecond() {
        String key = key();
        int before = server.runs.of("orders");
        HttpResponse<byte[]> first = server.send(server.json("/orders", key, ORDER));
        HttpResponse<byte[]> second = server.send(server.json("/orders", key, ORDER));

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(replayed(first)).isFalse();
        assertThat(second.statusCode()).isEqualTo(201);
        assertThat(replayed(second)).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
        for (String name : new String[] {"Location", "ETag", "Content-Type"}) {
            assertThat(second.headers().allValues(name))
                    .isEqualTo(first.headers().allValues(name))
                    .isNotEmpty();
        }
        assertThat(server.runs.of("orders")).isEqualTo(before + 1);
    }

    @Test
    void aBareTokenIsTheSameKey() {
        String key = key();
        server.send(server.json("/orders", key, ORDER));
        assertThat(replayed(server.send(server.json("/orders", key.replace("\"", ""), ORDER))))
                .isTrue();
    }

    @Test
    void refusesARequestWithoutAKey() {
        int before = server.runs.of("orders");
        HttpResponse<byte[]> response = server.send(server.request("/orders")
                .header("X-User", "alice")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ORDER)));
        assertProblem(response, 400, "key-missing");
        assertThat(server.runs.of("orders")).isEqualTo(before);
    }

    @Test
    void letsARequestWithoutAKeyPassWhereItIsOptional() {
        HttpRequest.Builder request = server.request("/raw").POST(BodyPublishers.ofString("x"));
        assertThat(server.send(request).statusCode()).isEqualTo(200);
        assertThat(server.send(request).headers().firstValue("Idempotent-Replayed"))
                .isEmpty();
    }

    @Test
    @DisplayName("C33: blank, over-long, repeated and malformed keys are a 400 before any store is asked")
    void refusesBadKeys() {
        int before = server.runs.of("orders");
        for (String key : new String[] {
            "\"\"",
            "\"  \"",
            "\"" + "a".repeat(256) + "\"",
            "a".repeat(256),
            "k".repeat(3000),
            "\"open",
            "a b",
            "a,b",
            "\"a\", \"b\"",
            "\"a\"b",
            "a\"b",
            "\"a\\x\""
        }) {
            assertProblem(server.send(server.json("/orders", key, ORDER)), 400, "key-invalid");
        }
        assertProblem(
                server.send(server.json("/orders", key(), ORDER).header("Idempotency-Key", key())), 400, "key-invalid");
        assertThat(server.runs.of("orders")).isEqualTo(before);
        assertThat(server.send(server.json("/orders", "\"" + "b".repeat(255) + "\"", ORDER))
                        .statusCode())
                .isEqualTo(201);
        assertThat(server.send(server.json("/orders", "\"c\"", ORDER)).statusCode())
                .isEqualTo(201);
    }

    @Test
    @DisplayName("C33: a header of 100,000 characters is refused by the container, and never a 500")
    void refusesAHugeHeader() {
        assertThat(server.send(server.json("/orders", "k".repeat(100_000), ORDER))
                        .statusCode())
                .isBetween(400, 499);
    }

    @Test
    @DisplayName("C46: another payload is refused while running, after it, and named")
    void refusesAnotherPayload() throws Exception {
        String key = key();
        server.send(server.json("/orders", key, ORDER));
        int before = server.runs.of("orders");
        HttpResponse<byte[]> other = server.send(server.json("/orders", key, "{\"item\":\"A\",\"amount\":99}"));
        assertProblem(other, 422, "payload-mismatch");
        assertThat(text(other)).contains("\"different\":[\"body\"]");
        assertThat(replayed(server.send(server.json("/orders", key, ORDER)))).isTrue();
        assertThat(server.runs.of("orders")).isEqualTo(before);

        String running = key();
        server.runs.hold();
        CompletableFuture<HttpResponse<byte[]>> first = server.sendAsync(server.json("/slow", running, "{\"a\":10}"));
        server.runs.entered.await();
        assertProblem(server.send(server.json("/slow", running, "{\"a\":99}")), 422, "payload-mismatch");
        server.runs.gate.countDown();
        assertThat(first.get().statusCode()).isEqualTo(200);
    }

    @Test
    void answersARunningRequestWith409AndRetryAfter() throws Exception {
        String key = key();
        server.runs.hold();
        CompletableFuture<HttpResponse<byte[]>> first = server.sendAsync(server.json("/slow", key, "{}"));
        server.runs.entered.await();
        HttpResponse<byte[]> second = server.send(server.json("/slow", key, "{}"));
        server.runs.gate.countDown();

        assertProblem(second, 409, "in-progress");
        long seconds = Long.parseLong(second.headers().firstValue("Retry-After").orElseThrow());
        assertThat(seconds).isBetween(1L, 30L);
        assertThat(text(second)).contains("\"retryAfter\":" + seconds);
        assertThat(first.get().statusCode()).isEqualTo(200);
        assertThat(text(server.send(server.json("/slow", key, "{}")))).isEqualTo(text(first.get()));
    }

    @Test
    void leavesGetUntouched() {
        String key = key();
        HttpRequest.Builder get = server.request("/orders").header("Idempotency-Key", key);
        String first = text(server.send(get));
        assertThat(text(server.send(get))).isNotEqualTo(first);
    }

    @Test
    @DisplayName("C75: another operation or resource is independent, another query is a 422")
    void tiesTheKeyToTheRequest() {
        String key = key();
        server.send(server.json("/orders", key, ORDER));
        HttpResponse<byte[]> refund = server.send(server.json("/refunds", key, ORDER));
        assertThat(text(refund)).startsWith("refund");

        HttpRequest.Builder one = server.request("/t/1")
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .PUT(BodyPublishers.noBody());
        HttpRequest.Builder two = server.request("/t/2")
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .PUT(BodyPublishers.noBody());
        HttpRequest.Builder oneEscaped = server.request("/t/%31")
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .PUT(BodyPublishers.noBody());
        assertThat(text(server.send(one))).startsWith("1 ");
        assertThat(text(server.send(two))).startsWith("2 ");
        assertThat(replayed(server.send(one))).isTrue();
        assertThat(replayed(server.send(oneEscaped))).isTrue();

        HttpResponse<byte[]> query = server.send(server.json("/orders?coupon=1", key, ORDER));
        assertProblem(query, 422, "payload-mismatch");
        assertThat(text(query)).contains("\"different\":[\"query\"]");
    }

    @Test
    @DisplayName("C76: each caller has keys of its own, and an unnamed one is refused")
    void keepsCallersApart() {
        String key = key();
        String alice = text(server.send(server.json("/orders", key, ORDER)));
        HttpRequest.Builder bobs = server.request("/orders")
                .header("Idempotency-Key", key)
                .header("X-User", "bob")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ORDER));
        assertThat(text(server.send(bobs))).isNotEqualTo(alice);

        HttpRequest.Builder nobodys = server.request("/orders")
                .header("Idempotency-Key", key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ORDER));
        int before = server.runs.of("orders");
        assertProblem(server.send(nobodys), 401, "caller-unknown");
        assertThat(server.runs.of("orders")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 303, 404, 409, 410, 412, 422})
    @DisplayName("C77: definitive answers are kept")
    void keepsDefinitiveAnswers(int status) {
        String key = key();
        HttpResponse<byte[]> first = server.send(server.json("/status/" + status, key, "{}"));
        HttpResponse<byte[]> second = server.send(server.json("/status/" + status, key, "{}"));
        assertThat(first.statusCode()).isEqualTo(status);
        assertThat(second.statusCode()).isEqualTo(status);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 408, 413, 415, 421, 425, 428, 429, 500, 502, 503, 504})
    @DisplayName("C77: answers about the request's form, the caller or the moment are not kept")
    void doesNotKeepTheOthers(int status) {
        String key = key();
        String first = text(server.send(server.json("/status/" + status, key, "{}")));
        HttpResponse<byte[]> second = server.send(server.json("/status/" + status, key, "{}"));
        assertThat(second.statusCode()).isEqualTo(status);
        assertThat(text(second)).startsWith("run").isNotEqualTo(first);
        assertThat(replayed(second)).isFalse();
    }

    @Test
    @DisplayName("C77: an exception frees the key and reaches the error page")
    void passesExceptionsOn() {
        String key = key();
        int before = server.runs.of("throws");
        HttpResponse<byte[]> first = server.send(server.json("/throws", key, "{}"));
        assertThat(first.statusCode()).isEqualTo(500);
        assertThat(text(first)).contains("\"path\":\"/throws\"");
        server.send(server.json("/throws", key, "{}"));
        assertThat(server.runs.of("throws")).isEqualTo(before + 2);
    }

    @Test
    @DisplayName("C78: only what describes the answer is replayed")
    void replaysTheRightHeaders() {
        String key = key();
        HttpResponse<byte[]> first = server.send(server.json("/headers", key, "{}"));
        HttpResponse<byte[]> second = server.send(server.json("/headers", key, "{}"));

        assertThat(first.headers().allValues("Set-Cookie")).hasSize(3);
        assertThat(first.headers().firstValue("X-Request-Id")).isPresent();
        assertThat(first.headers().firstValue("X-Internal")).isPresent();
        assertThat(second.statusCode()).isEqualTo(201);
        for (String name : new String[] {"Location", "ETag", "Content-Type", "X-Shop", "Link"}) {
            assertThat(second.headers().allValues(name))
                    .as(name)
                    .isEqualTo(first.headers().allValues(name))
                    .isNotEmpty();
        }
        for (String name : new String[] {
            "Set-Cookie", "WWW-Authenticate", "X-Request-Id", "X-RateLimit-Remaining", "RateLimit", "X-Internal"
        }) {
            assertThat(second.headers().allValues(name)).as(name).isEmpty();
        }
        assertThat(second.headers().allValues("Link")).hasSize(2);
        assertThat(second.headers().firstValue("Date"))
                .isNotEqualTo(first.headers().firstValue("Date"));
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(text(second)).isEqualTo("übrigens");
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "none", "empty", "direct", "redirect", "soldout", "senderror", "binary", "image"})
    @DisplayName("C48, C80, C81: every kind of answer comes back with the same status, type and bytes")
    void replaysEveryKindOfAnswer(String path) {
        String key = key();
        int before = server.runs.of(path);
        HttpResponse<byte[]> first = server.send(server.json("/" + path, key, "{}"));
        HttpResponse<byte[]> second = server.send(server.json("/" + path, key, "{}"));
        assertThat(second.statusCode()).isEqualTo(first.statusCode()).isLessThan(500);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.headers().allValues("Content-Type"))
                .isEqualTo(first.headers().allValues("Content-Type"));
        assertThat(second.headers().allValues("Location"))
                .isEqualTo(first.headers().allValues("Location"));
        assertThat(replayed(second)).isTrue();
        assertThat(server.runs.of(path)).isEqualTo(before + 1);
    }

    @Test
    void statusesAndTypesAreThoseOfTheHandler() {
        assertThat(server.send(server.json("/csv", key(), "{}"))).satisfies(response -> {
            assertThat(response.statusCode()).isEqualTo(202);
            assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
        });
        assertThat(server.send(server.json("/none", key(), "{}")).statusCode()).isEqualTo(204);
        assertThat(server.send(server.json("/redirect", key(), "{}")).statusCode())
                .isEqualTo(302);
        assertThat(server.send(server.json("/image", key(), "{}")).headers().firstValue("Content-Type"))
                .contains("image/png");
        HttpResponse<byte[]> soldOut = server.send(server.json("/soldout", key(), "{}"));
        assertThat(soldOut.statusCode()).isEqualTo(409);
        assertThat(soldOut.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        HttpResponse<byte[]> sendError = server.send(server.json("/senderror", key(), "{}"));
        assertThat(sendError.statusCode()).isEqualTo(409);
        assertThat(text(sendError)).contains("\"status\":409", "run ");
    }

    @Test
    @DisplayName("C81: a compressed answer is replayed as it was, or unpacked for a client that does not take it")
    void replaysCompressedAnswers() {
        String key = key();
        HttpResponse<byte[]> first = server.send(server.json("/gzip", key, "{}"));
        assertThat(first.headers().firstValue("Content-Encoding")).contains("gzip");
        for (String accepted : new String[] {"gzip", "br, gzip;q=0.5", "*"}) {
            HttpResponse<byte[]> same =
                    server.send(server.json("/gzip", key, "{}").header("Accept-Encoding", accepted));
            assertThat(same.body()).isEqualTo(first.body());
            assertThat(same.headers().firstValue("Content-Encoding")).contains("gzip");
        }
        HttpResponse<byte[]> absent = server.send(server.json("/gzip", key, "{}"));
        assertThat(absent.body()).isEqualTo(first.body());
        for (String refused : new String[] {"identity", "gzip;q=0", "br"}) {
            HttpResponse<byte[]> plain =
                    server.send(server.json("/gzip", key, "{}").header("Accept-Encoding", refused));
            assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(text(plain)).startsWith("hello ");
            assertThat(replayed(plain)).isTrue();
        }
    }

    @Test
    @DisplayName("C83: form parameters reach the controller, those of the query too")
    void formsReachTheController() {
        String key = key();
        byte[] form = "name=J%C3%BCrgen+M&city=B%26B&q=2".getBytes(UTF_8);
        HttpResponse<byte[]> first =
                server.send(server.post("/form?q=1", key, "application/x-www-form-urlencoded", form));
        assertThat(text(first)).startsWith("Jürgen M|B&B|1,2|");
        byte[] reordered = "city=B%26B&name=J%C3%BCrgen%20M&q=2".getBytes(UTF_8);
        HttpResponse<byte[]> second =
                server.send(server.post("/form?q=1", key, "application/x-www-form-urlencoded", reordered));
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertProblem(
                server.send(server.post(
                        "/form?q=1", key, "application/x-www-form-urlencoded", "name=x&city=y&q=2".getBytes(UTF_8))),
                422,
                "payload-mismatch");
        assertProblem(
                server.send(server.post(
                        "/form?q=1", key(), "application/x-www-form-urlencoded", "name=%zz&city=y".getBytes(UTF_8))),
                400,
                "body-invalid");
    }

    @Test
    @DisplayName("C83: a body that says it is encoded as identity is no other body")
    void identityIsNoEncoding() {
        HttpResponse<byte[]> answer = server.send(server.post(
                        "/form?q=1", key(), "application/x-www-form-urlencoded", "name=A&city=B&q=2".getBytes(UTF_8))
                .header("Content-Encoding", "identity"));
        assertThat(text(answer)).startsWith("A|B|1,2|");
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 300_000})
    @DisplayName("C83: multipart forms reach the controller, and another boundary is the same request")
    void multipartReachesTheController(int size) throws Exception {
        byte[] file = new byte[size];
        new Random(1).nextBytes(file);
        String key = key();
        HttpResponse<byte[]> first = server.send(
                server.post("/upload", key, "multipart/form-data; boundary=AaB03x", multipart("AaB03x", file, "grüß")));
        assertThat(text(first)).startsWith("a.bin:application/octet-stream:" + GateServer.sha(file) + "|b.txt:3|grüß|");
        HttpResponse<byte[]> second = server.send(server.post(
                "/upload",
                key,
                "multipart/form-data; boundary=\"other=bound\"",
                multipart("other=bound", file, "grüß")));
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        file[size / 2]++;
        assertProblem(
                server.send(
                        server.post("/upload", key, "multipart/form-data; boundary=x", multipart("x", file, "grüß"))),
                422,
                "payload-mismatch");
        for (String type : new String[] {"multipart/form-data", "multipart/form-data; boundary=wrong"}) {
            assertProblem(
                    server.send(server.post("/upload", key(), type, multipart("x", file, "n"))), 400, "body-invalid");
        }
    }

    private static byte[] multipart(String boundary, byte[] file, String note) throws Exception {
        var out = new java.io.ByteArrayOutputStream();
        out.write(("--" + boundary + "\r\nContent-Disposition: form-data; name=\"one\"; filename=\"a.bin\"\r\n"
                        + "Content-Type: application/octet-stream\r\n\r\n")
                .getBytes(UTF_8));
        out.write(file);
        out.write(("\r\n--" + boundary + "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + note
                        + "\r\n--" + boundary
                        + "\r\nContent-Disposition: form-data; name=\"two\"; filename=\"b.txt\"\r\n\r\n\r\n-"
                        + "\r\n--" + boundary + "--\r\n")
                .getBytes(UTF_8));
        return out.toByteArray();
    }

    @Test
    @DisplayName("C83: empty, chunked, large and binary bodies, and those in another charset, are intact")
    void bodiesAreIntact() throws Exception {
        for (int size : new int[] {0, 1, 8192, 64 * 1024, 64 * 1024 + 1, 1_500_000}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            String key = key();
            String expected = size + " " + GateServer.sha(bytes);
            assertThat(text(server.send(server.post("/raw", key, "application/octet-stream", bytes))))
                    .isEqualTo(expected);
            HttpResponse<byte[]> chunked = server.send(server.request("/raw")
                    .header("Idempotency-Key", key)
                    .header("X-User", "alice")
                    .header("Content-Type", "application/octet-stream")
                    .POST(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes))));
            assertThat(text(chunked)).isEqualTo(expected);
            assertThat(replayed(chunked)).isTrue();
        }
        Charset gbk = Charset.forName("GBK");
        HttpResponse<byte[]> chinese =
                server.send(server.post("/text", key(), "text/plain;charset=GBK", "演唱会".getBytes(gbk)));
        assertThat(new String(chinese.body(), Charset.forName(charsetOf(chinese))))
                .startsWith("演唱会");
    }

    private static String charsetOf(HttpResponse<?> response) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        return type.contains("charset=") ? type.substring(type.indexOf("charset=") + 8) : "UTF-8";
    }

    @Test
    void refusesABodyOverTheLimit() {
        byte[] large = new byte[2_000_001];
        assertProblem(
                server.send(server.post("/raw", key(), "application/octet-stream", large)), 413, "body-too-large");
        assertProblem(
                server.send(server.request("/raw")
                        .header("Idempotency-Key", key())
                        .header("X-User", "alice")
                        .POST(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large)))),
                413,
                "body-too-large");
    }

    @Test
    @DisplayName("C87: the way JSON is written does not count, its digits do")
    void comparesJsonByMeaning() {
        String key = key();
        server.send(server.json("/text", key, "{\"a\":{\"b\":10,\"c\":[1,2]},\"id\":9007199254740992}"));
        for (String same : new String[] {
            "{\"id\":9007199254740992,\"a\":{\"c\":[1,2],\"b\":10.0}}",
            " {\"a\" : {\"b\":1e1,\"c\":[1, 2]},\n\"id\":9007199254740992 }",
            "{\"\\u0061\":{\"b\":10.00,\"c\":[1,2]},\"id\":9007199254740992}"
        }) {
            assertThat(replayed(server.send(server.json("/text", key, same))))
                    .as(same)
                    .isTrue();
        }
        for (String other : new String[] {
            "{\"a\":{\"b\":10,\"c\":[1,2]},\"id\":9007199254740993}",
            "{\"a\":{\"b\":10,\"c\":[2,1]},\"id\":9007199254740992}",
            "{\"a\":{\"b\":10,\"c\":[1,2]},\"id\":9007199254740992,\"d\":null}",
            "{\"a\":{\"b\":\"10\",\"c\":[1,2]},\"id\":9007199254740992}",
            "{\"a\":{\"b\":10,\"c\":[1,2]},\"id\":9007199254740992"
        }) {
            assertThat(server.send(server.json("/text", key, other)).statusCode())
                    .as(other)
                    .isEqualTo(422);
        }
    }

    @Test
    void aMalformedBodyIsTheHandlersAnswerAndNotKept() {
        String key = key();
        assertThat(server.send(server.json("/orders", key, "{\"item\":")).statusCode())
                .isEqualTo(400);
        assertThat(server.send(server.json("/orders", key, ORDER)).statusCode()).isEqualTo(201);
    }

    @Test
    void aLargeAnswerIsSentWholeAndRecordedAsDone() {
        String key = key();
        int before = server.runs.of("big");
        HttpResponse<byte[]> first = server.send(server.json("/big/100001", key, "{}"));
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).hasSize(100_001);
        HttpResponse<byte[]> second = server.send(server.json("/big/100001", key, "{}"));
        assertProblem(second, 410, "result-unavailable");
        assertThat(text(second)).contains("\"outcome\":\"succeeded\"");
        assertThat(server.runs.of("big")).isEqualTo(before + 1);
        String whole = key();
        server.send(server.json("/big/100000", whole, "{}"));
        assertThat(server.send(server.json("/big/100000", whole, "{}")).body()).hasSize(100_000);
    }

    @Test
    @DisplayName("C85: a client that hangs up does not undo the record")
    void outlivesTheClient() throws Exception {
        String key = key();
        int before = server.runs.of("slow");
        server.runs.hold();
        try (java.net.Socket socket = new java.net.Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write(("POST /slow HTTP/1.1\r\nHost: localhost\r\nX-User: alice\r\nIdempotency-Key: " + key
                                    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                            .getBytes(UTF_8));
            server.runs.entered.await();
        }
        HttpResponse<byte[]> during = server.send(server.json("/slow", key, "{}"));
        assertProblem(during, 409, "in-progress");
        assertThat(during.headers().firstValue("Retry-After")).isPresent();
        server.runs.gate.countDown();
        server.runs.left.await();
        HttpResponse<byte[]> after = awaitAnswer(() -> server.json("/slow", key, "{}"));
        assertThat(after.statusCode()).isEqualTo(200);
        assertThat(replayed(after)).isTrue();
        assertThat(text(after)).isEqualTo("slow " + (before + 1));
        assertThat(server.runs.of("slow")).isEqualTo(before + 1);
    }

    private HttpResponse<byte[]> awaitAnswer(Supplier<HttpRequest.Builder> request) {
        AtomicReference<HttpResponse<byte[]>> answer = new AtomicReference<>();
        Await.until("an answer other than 409", Duration.ofSeconds(20), () -> {
            answer.set(server.send(request.get()));
            return answer.get().statusCode() != 409;
        });
        return answer.get();
    }

    @ParameterizedTest
    @MethodSource("asyncKinds")
    void asynchronousAnswersAreRecordedAtTheirEnd(String kind) {
        String key = key();
        int before = server.runs.of(kind);
        HttpResponse<byte[]> first = server.send(server.json("/async/" + kind, key, "{}"));
        HttpResponse<byte[]> second = awaitAnswer(() -> server.json("/async/" + kind, key, "{}"));
        assertThat(first.statusCode()).isBetween(200, 201);
        assertThat(text(first).stripTrailing()).endsWith(String.valueOf(before + 1));
        assertThat(second.statusCode()).isEqualTo(first.statusCode());
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertThat(server.runs.of(kind)).isEqualTo(before + 1);
    }

    @Test
    void anAsynchronousFailureFreesTheKey() {
        String key = key();
        int before = server.runs.of("asyncfails");
        assertThat(server.send(server.json("/async/fails", key, "{}")).statusCode())
                .isEqualTo(500);
        assertThat(server.send(server.json("/async/fails", key, "{}")).statusCode())
                .isEqualTo(500);
        assertThat(server.runs.of("asyncfails")).isEqualTo(before + 2);
    }

    @Test
    void leavesNoTemporaryFiles() throws Exception {
        server.send(server.post("/raw", key(), "application/octet-stream", new byte[500_000]));
        server.send(server.json("/big/90000", key(), "{}"));
        Await.until("no temporary files", Duration.ofSeconds(20), () -> temporaryFiles() == 0);
    }

    private static long temporaryFiles() throws Exception {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName()
                            .toString()
                            .matches("oncegate-" + ProcessHandle.current().pid() + "-.*\\.body"))
                    .count();
        }
    }

    public static void assertProblem(HttpResponse<byte[]> response, int status, String code) {
        assertThat(response.statusCode()).as(text(response)).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(text(response))
                .contains(
                        "\"type\":\"urn:oncegate:problem:" + code + "\"",
                        "\"status\":" + status,
                        "\"code\":\"" + code + "\"",
                        "\"detail\":\"");
    }
}
