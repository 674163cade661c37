package io.oncegate.spring.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Outcome;
import io.oncegate.core.codec.ResultCodecException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.internal.GateAnswer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.PathContainer;

class HttpRulesTest {
    private static final HttpSnapshotCodec CODEC = new HttpSnapshotCodec();

    @Test
    void snapshotsComeBackAsTheyWere() {
        HttpSnapshot snapshot = HttpSnapshot.of(
                201,
                List.of(
                        new HttpSnapshot.Header("Link", "<a>"),
                        new HttpSnapshot.Header("Content-Type", "text/plain;charset=UTF-8"),
                        new HttpSnapshot.Header("Link", "<b>ü")),
                new byte[] {0, -1, 13, 10});
        HttpSnapshot again = CODEC.decode(CODEC.encode(snapshot, HttpSnapshot.class), HttpSnapshot.class);
        assertThat(again).isEqualTo(snapshot);
        assertThat(again.headers("link")).containsExactly("<a>", "<b>ü");
        HttpSnapshot empty = HttpSnapshot.of(204, List.of(), new byte[0]);
        assertThat(CODEC.decode(CODEC.encode(empty, HttpSnapshot.class), HttpSnapshot.class))
                .isEqualTo(empty);
    }

    @Test
    void aPathIsReadAsInPostMapping() {
        for (String pattern : List.of("/orders/{id}", "orders/{id}")) {
            IdempotentRoute route =
                    IdempotentRoute.post(pattern, "order.change").build();
            assertThat(route.matches("POST", PathContainer.parsePath("/orders/1")))
                    .as(pattern)
                    .isTrue();
        }
    }

    @Test
    void damagedSnapshotsAreATypedError() {
        byte[] whole = CODEC.encode(
                HttpSnapshot.of(200, List.of(new HttpSnapshot.Header("ETag", "1")), new byte[0]), HttpSnapshot.class);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> CODEC.decode(cut, HttpSnapshot.class)).isInstanceOf(ResultCodecException.class);
        }
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] noise = new byte[random.nextInt(40)];
            random.nextBytes(noise);
            if (noise.length > 0) {
                noise[0] = 1;
            }
            try {
                assertThat(CODEC.decode(noise, HttpSnapshot.class).status()).isBetween(200, 599);
            } catch (ResultCodecException e) {
                assertThat(e).hasMessageContaining("stored");
            }
        }
        assertThatThrownBy(() -> CODEC.encode(HttpSnapshot.tooLarge(200), HttpSnapshot.class))
                .isInstanceOf(ResultCodecException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Set-Cookie",
                "date",
                "WWW-Authenticate",
                "X-Request-Id",
                "Request-Id",
                "X-Correlation-ID",
                "traceparent",
                "RateLimit",
                "X-RateLimit-Limit",
                "X-Rate-Limit-Reset",
                "Connection",
                "Transfer-Encoding",
                "Retry-After",
                "Access-Control-Allow-Origin",
                "X-B3-TraceId",
                "Content-Length"
            })
    @DisplayName("C78: some headers are never replayed, not even by configuration")
    void someHeadersAreNeverKept(String name) {
        assertThat(HeaderRules.defaults().keeps(name)).isFalse();
        assertThatThrownBy(() -> HeaderRules.defaults().and(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void headersThatDescribeTheAnswerAreKept() {
        HeaderRules rules = HeaderRules.defaults().and("X-Shop");
        for (String name : List.of(
                "location",
                "ETag",
                "Content-Type",
                "Content-Encoding",
                "Content-Language",
                "Content-Disposition",
                "Link",
                "x-shop")) {
            assertThat(rules.keeps(name)).as(name).isTrue();
        }
        assertThat(rules.keeps("X-Other")).isFalse();
    }

    @Test
    @DisplayName("C77: the rules for statuses can be changed per operation, but 429 and 5xx are never kept")
    void statusRulesCanBeChanged() {
        StatusRules rules = StatusRules.defaults().keep(400).release(404).unknown(504);
        assertThat(rules.of(400)).isEqualTo(StatusRules.Meaning.KEEP);
        assertThat(rules.of(404)).isEqualTo(StatusRules.Meaning.RELEASE);
        assertThat(rules.of(504)).isEqualTo(StatusRules.Meaning.UNKNOWN);
        assertThat(rules.of(500)).isEqualTo(StatusRules.Meaning.RELEASE);
        assertThat(StatusRules.defaults().of(400)).isEqualTo(StatusRules.Meaning.RELEASE);
        for (int status : new int[] {429, 500, 503}) {
            assertThatThrownBy(() -> StatusRules.defaults().keep(status)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void problemsAreJson() {
        OperationKey key = OperationKey.of("o", Scope.of("alice"), "secret");
        HttpProblem held = HttpProblem.of(new Outcome.Held<>(key, Duration.ofMillis(2001)));
        assertThat(held.retryAfterSeconds()).isEqualTo(3);
        assertThat(HttpProblem.of(new Outcome.Held<>(key, Duration.ofNanos(1))).retryAfterSeconds())
                .isEqualTo(1);
        HttpProblem mismatch = HttpProblem.of(new Outcome.Mismatch<>(key, List.of("body", "que\"ry")));
        assertThat(new String(mismatch.toJson(), UTF_8))
                .contains("\"different\":[\"body\",\"que\\\"ry\"]")
                .doesNotContain("secret", "alice");
        assertThat(Fingerprint.ofJson(new String(mismatch.toJson(), UTF_8))).isNotNull();
        for (Outcome<?> outcome : List.of(
                new Outcome.NoResult<>(key, true),
                new Outcome.Unknown<>(key, null, null),
                new Outcome.Expired<>(key, true),
                new Outcome.Expired<>(key, false))) {
            HttpProblem problem = HttpProblem.of(outcome);
            assertThat(problem.status()).isBetween(400, 499);
            assertThat(new String(problem.toJson(), UTF_8))
                    .contains("urn:oncegate:problem:" + problem.code().code());
        }
    }

    @Test
    @DisplayName("C81: an answer that is no gzip although it says so is replayed as it was")
    void onlyGzipIsUnpacked() throws Exception {
        for (byte[] body : new byte[][] {{}, {1}, "hello".getBytes(UTF_8)}) {
            HttpSnapshot snapshot =
                    HttpSnapshot.of(200, List.of(new HttpSnapshot.Header("Content-Encoding", "gzip")), body);
            GateAnswer answer = GateAnswer.of(new Outcome.Replayed<>(snapshot), List.of("identity"));
            assertThat(answer.open()).hasBinaryContent(body);
            assertThat(answer.length()).isEqualTo(body.length);
            assertThat(answer.headers()).containsAll(snapshot.headers());
        }
    }

    @Test
    @DisplayName("a path may be written without its slash, as in @PostMapping")
    void aPathMayBeWrittenWithoutItsSlash() {
        assertThat(IdempotentRoute.post("orders", "order.create")
                        .build()
                        .matches("POST", PathContainer.parsePath("/orders")))
                .isTrue();
    }

    @Test
    void formsAreReadOrRefused() throws Exception {
        assertThat(FormFields.parse("a=1&&b&=c&a=%C3%BC+x", UTF_8))
                .containsExactly(
                        new FormFields.Field("a", "1"),
                        new FormFields.Field("b", ""),
                        new FormFields.Field("", "c"),
                        new FormFields.Field("a", "ü x"));
        for (String bad : List.of("a=%", "a=%1", "a=%zz", "%")) {
            assertThatThrownBy(() -> FormFields.parse(bad, UTF_8)).isInstanceOf(BadBodyException.class);
        }
        assertThatThrownBy(() -> FormFields.parse("a&".repeat(10_001), UTF_8)).isInstanceOf(BadBodyException.class);
    }

    @Test
    void multipartSurvivesNoise() throws Exception {
        Random random = new Random(7);
        String alphabet = "--x\r\nContent-Disposition: form-data; name=\"a\"";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? "--x\r\n" : "");
            while (random.nextInt(8) != 0) {
                text.append(
                        switch (random.nextInt(5)) {
                            case 0 -> "\r\n--x";
                            case 1 -> "\r\n";
                            case 2 -> "Content-Disposition: form-data; name=\"a\"\r\n\r\n";
                            case 3 -> "--";
                            default -> String.valueOf(alphabet.charAt(random.nextInt(alphabet.length())));
                        });
            }
            try (BufferedBody body = new BufferedBody(i % 50 == 0 ? 16 : 1 << 20)) {
                body.write(text.toString().getBytes(UTF_8));
                for (MultipartForm.Part part : MultipartForm.parse(body, "x").parts()) {
                    assertThat(part.from() + part.length()).isLessThanOrEqualTo(body.size());
                }
            } catch (BadBodyException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
    }
}
