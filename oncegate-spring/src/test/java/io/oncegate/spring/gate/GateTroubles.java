package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.ReconcilePolicy;
import io.oncegate.core.Reconciler;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.testsupport.Await;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The gate when something is wrong: its store, its caller, its policies. One suite for both web frameworks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateTroubles {
    private final AtomicBoolean found = new AtomicBoolean();
    private final FailingStore store = new FailingStore(new MemoryRecordStore());

    private Oncegate oncegate;
    private GateServer server;

    /** Starts a server whose callers are named by the header X-User. */
    protected abstract GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more);

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(store).settleFor(Duration.ofMillis(300)).build();
        server = start(
                oncegate,
                gate -> gate.key(IdempotencyKeyHeader.strict())
                        .unknownCallerStatus(403)
                        .storeRetryAfter(Duration.ofSeconds(7))
                        .route(IdempotentRoute.post("/orders", "order.create").build())
                        .route(IdempotentRoute.post("/senderror", "senderror")
                                .ignoreBirthTime()
                                .build())
                        .route(IdempotentRoute.post("/slow", "slow")
                                .policies(operation -> operation.waitUpTo(Duration.ofSeconds(5)))
                                .build())
                        .route(IdempotentRoute.post("/csv", "open")
                                .policies(operation -> operation.whenStoreDown(WhenStoreDown.RUN_UNPROTECTED))
                                .build())
                        .route(IdempotentRoute.post("/empty", "fresh")
                                .policies(operation -> operation.birthTime(Duration.ofHours(1), Duration.ofMinutes(1)))
                                .build())
                        .route(IdempotentRoute.post("/throws", "throws")
                                .failures(failure -> FailureKind.NOBODY_KNOWS)
                                .build())
                        .route(IdempotentRoute.post("/none", "reconciled")
                                .statuses(StatusRules.defaults().unknown(204))
                                .policies(operation -> operation
                                        .lease(Duration.ofMillis(200))
                                        .reconciler(
                                                (asked, claim) -> found.get()
                                                        ? new Reconciler.Finding.Done<>(
                                                                HttpSnapshot.of(204, List.of(), new byte[0]))
                                                        : new Reconciler.Finding.StillUnknown<>(),
                                                ReconcilePolicy.DEFAULT
                                                        .pauses(Duration.ofMillis(1), Duration.ofMillis(1))
                                                        .maxAsks(Integer.MAX_VALUE)))
                                .build())
                        .route(IdempotentRoute.post("/status/{status}", "status")
                                .statuses(StatusRules.defaults()
                                        .keep(400)
                                        .release(404)
                                        .unknown(504))
                                .build()));
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
    }

    @AfterEach
    void heal() {
        store.heal();
    }

    private HttpResponse<byte[]> order(String key) {
        return server.send(server.json("/orders", key, "{\"item\":\"A\",\"amount\":1}"));
    }

    @Test
    @DisplayName("C88: a store that is down is a 503 in bounded time, nothing runs, and afterwards all is right")
    void refusesWhileTheStoreIsDown() {
        int before = server.runs.of("orders");
        String key = key();
        store.failClaims(true);
        long start = System.nanoTime();
        HttpResponse<byte[]> down = order(key);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertProblem(down, 503, "store-unavailable");
        assertThat(down.headers().firstValue("Retry-After")).contains("7");
        assertThat(server.runs.of("orders")).isEqualTo(before);
        store.heal();
        assertThat(order(key).statusCode()).isEqualTo(201);
        assertThat(replayed(order(key))).isTrue();
        assertThat(server.runs.of("orders")).isEqualTo(before + 1);
    }

    @Test
    @DisplayName("C88: an outcome that cannot be recorded is never answered, and does not run again")
    void tellsThatAnOutcomeWasNotRecorded() throws Exception {
        int before = server.runs.of("orders");
        String key = key();
        store.failSettles(true);
        HttpResponse<byte[]> first = order(key);
        assertProblem(first, 503, "outcome-not-recorded");
        assertThat(first.headers().firstValue("Location")).isEmpty();
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertProblem(order(key), 409, "in-progress");
        store.heal();
        AtomicReference<HttpResponse<byte[]>> answer = new AtomicReference<>();
        Await.until("the outcome is recorded late", Duration.ofSeconds(30), () -> {
            answer.set(order(key));
            return answer.get().statusCode() != 409;
        });
        HttpResponse<byte[]> later = answer.get();
        assertThat(later.statusCode()).isEqualTo(201);
        assertThat(replayed(later)).isTrue();
        assertThat(server.runs.of("orders")).isEqualTo(before + 1);
    }

    @Test
    @DisplayName("C88: what was found out about an unknown outcome and cannot be recorded is a 503 too")
    void tellsThatAFindingWasNotRecorded() {
        String key = key();
        assertThat(server.send(server.json("/none", key, "{}")).statusCode()).isEqualTo(204);
        store.failSettles(true);
        found.set(true);
        AtomicReference<HttpResponse<byte[]>> answer = new AtomicReference<>();
        // The background asks too, and holds the record for a lease when it does.
        Await.until("asked by a request", Duration.ofSeconds(60), () -> {
            answer.set(server.send(server.json("/none", key, "{}")));
            return answer.get().statusCode() == 503;
        });
        assertProblem(answer.get(), 503, "outcome-not-recorded");
    }

    @Test
    @DisplayName("C88: letting requests through is a choice per operation")
    void runsUnprotectedOnlyWhereChosen() {
        store.failClaims(true);
        String key = key();
        String first = text(server.send(server.json("/csv", key, "{}")));
        String second = text(server.send(server.json("/csv", key, "{}")));
        assertThat(first).startsWith("a;b;");
        assertThat(second).startsWith("a;b;").isNotEqualTo(first);
    }

    @Test
    void waitsForTheTwinWhereChosen() throws Exception {
        String key = key();
        server.runs.hold();
        CompletableFuture<HttpResponse<byte[]>> first = server.sendAsync(server.json("/slow", key, "{}"));
        server.runs.entered.await();
        CompletableFuture<HttpResponse<byte[]>> second = server.sendAsync(server.json("/slow", key, "{}"));
        Thread.sleep(100);
        assertThat(second).isNotDone();
        server.runs.gate.countDown();
        assertThat(second.get().statusCode()).isEqualTo(200);
        assertThat(second.get().body()).isEqualTo(first.get().body());
        assertThat(replayed(second.get())).isTrue();
    }

    @Test
    void aKeyThatIsOlderThanTheKeptAnswersDoesNotRunUnlessItsAgeIsIgnored() {
        int before = server.runs.of("orders");
        assertProblem(order(bornIn(Duration.ofHours(-25))), 412, "key-expired");
        assertProblem(order(bornIn(Duration.ofHours(2))), 412, "key-expired");
        assertThat(server.runs.of("orders")).isEqualTo(before);
        String young = bornIn(Duration.ofHours(-20));
        assertThat(order(young).statusCode()).isEqualTo(201);
        assertThat(replayed(order(young))).isTrue();

        String ignored = bornIn(Duration.ofDays(-400));
        assertThat(server.send(server.json("/senderror", ignored, "{}")).statusCode())
                .isNotEqualTo(412);
    }

    private static String bornIn(Duration time) {
        return '"' + UuidV7.at(Instant.now().plus(time)).toString() + '"';
    }

    @Test
    void refusesKeysOlderThanTheRecords() {
        assertProblem(
                server.send(server.json("/empty", "\"01890000-0000-7000-8000-000000000000\"", "{}")),
                412,
                "key-expired");
        assertProblem(
                server.send(server.json("/empty", "\"fff00000-0000-7000-8000-000000000000\"", "{}")),
                412,
                "key-expired");
        assertThat(server.send(server.json("/empty", key(), "{}")).statusCode()).isEqualTo(200);
    }

    @Test
    void strictKeysNeedTheirQuotes() {
        assertProblem(server.send(server.json("/orders", "bare", "{}")), 400, "key-invalid");
    }

    @Test
    @DisplayName("C76: an unnamed caller is refused with the configured status")
    void refusesUnknownCallers() {
        HttpRequest.Builder request =
                server.request("/orders").header("Idempotency-Key", key()).POST(BodyPublishers.noBody());
        assertProblem(server.send(request), 403, "caller-unknown");
        assertProblem(server.send(request.setHeader("X-User", " ")), 403, "caller-unknown");
    }

    @Test
    @DisplayName("C77: the policy of statuses is per operation")
    void statusesByOperation() {
        String kept = key();
        String first = text(server.send(server.json("/status/400", kept, "{}")));
        assertThat(text(server.send(server.json("/status/400", kept, "{}")))).isEqualTo(first);
        String released = key();
        first = text(server.send(server.json("/status/404", released, "{}")));
        assertThat(text(server.send(server.json("/status/404", released, "{}"))))
                .isNotEqualTo(first);
        String unknown = key();
        HttpResponse<byte[]> timeOut = server.send(server.json("/status/504", unknown, "{}"));
        assertThat(timeOut.statusCode()).isEqualTo(504);
        assertThat(text(timeOut)).startsWith("run");
        assertProblem(server.send(server.json("/status/504", unknown, "{}")), 409, "outcome-unknown");
    }

    @Test
    @DisplayName("C77: an exception after which nobody knows is passed on and blocks the key")
    void exceptionsByOperation() {
        String key = key();
        assertThat(server.send(server.json("/throws", key, "{}")).statusCode()).isEqualTo(500);
        int runs = server.runs.of("throws");
        assertProblem(server.send(server.json("/throws", key, "{}")), 409, "outcome-unknown");
        assertThat(server.runs.of("throws")).isEqualTo(runs);
    }

    @Test
    @DisplayName("C103: duplicates and refusals are not logged as errors, and no log names a key or a caller")
    void logsNoErrorsAndNoKeys() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> logs = new ListAppender<>();
        logs.start();
        root.addAppender(logs);
        Logger ours = (Logger) LoggerFactory.getLogger("io.oncegate");
        Level before = ours.getLevel();
        ours.setLevel(Level.DEBUG);
        try {
            String key = "\"jane.doe@example.com\"";
            for (int i = 0; i < 1000; i++) {
                assertThat(order(key).statusCode()).isEqualTo(201);
            }
            server.send(server.json("/orders", key, "{\"item\":\"B\"}"));
            server.send(server.json("/orders", "bad key jane.doe", "{}"));
            store.failClaims(true);
            order(key);
        } finally {
            root.detachAppender(logs);
            ours.setLevel(before);
        }
        List<ILoggingEvent> events = new ArrayList<>(logs.list);
        assertThat(events).isNotEmpty();
        assertThat(events)
                .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.ERROR))
                .noneMatch(event -> event.getThrowableProxy() != null)
                .noneMatch(event -> event.getFormattedMessage().contains("jane")
                        || event.getFormattedMessage().contains("alice"));
    }

    @Test
    @DisplayName(
            "C33: header torture over a real connection never gives a 500 and never runs the handler twice for a key")
    void survivesHeaderTorture() throws Exception {
        int before = server.runs.of("orders");
        Random random = new Random(33);
        String structured = "\"\"\\;=?:*, \t-.09azAZ\u0001\u007f\u00e9";
        int created = 0;
        for (int i = 0; i < 600; i++) {
            StringBuilder value = new StringBuilder(i % 2 == 0 ? "\"" : "");
            int length = i % 20 == 0 ? random.nextInt(3000) : random.nextInt(16);
            for (int j = 0; j < length; j++) {
                char c = i % 3 == 0
                        ? (char) random.nextInt(256)
                        : structured.charAt(random.nextInt(structured.length()));
                value.append(c == '\r' || c == '\n' ? 'x' : c);
            }
            value.append(i % 4 == 0 ? "\"" : "");
            int status = server.raw(
                    "POST /orders HTTP/1.1\r\nHost: localhost\r\nX-User: t" + i + "\r\nIdempotency-Key: " + value
                            + "\r\nContent-Type: application/json\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{\"item\":\"A\"}");
            assertThat(status).as("value %s: %s", i, value).isIn(201, 400);
            created += status == 201 ? 1 : 0;
        }
        assertThat(server.runs.of("orders")).isEqualTo(before + created);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\n\r\n{\"a\"",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
                "Content-Length: -1\r\n\r\n"
            })
    void aBodyThatBreaksOffIsNeverA500(String rest) throws Exception {
        int before = server.runs.of("orders");
        int status = server.raw(
                "POST /orders HTTP/1.1\r\nHost: localhost\r\nX-User: u\r\nIdempotency-Key: " + key()
                        + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + rest,
                true);
        assertThat(status).isIn(0, 400);
        assertThat(server.runs.of("orders")).isEqualTo(before);
    }
}
