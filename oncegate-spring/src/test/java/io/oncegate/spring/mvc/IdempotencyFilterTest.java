package io.oncegate.spring.mvc;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.http.IdempotentRoute;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What only a servlet container knows: dispatches, error pages, asynchronous time-outs. */
class IdempotencyFilterTest {
    private static Oncegate oncegate;
    private static GateServer server;

    @BeforeAll
    static void start() {
        oncegate = Oncegate.claimed(new MemoryRecordStore()).build();
        server = MvcServer.start(
                oncegate,
                gate -> gate.route(IdempotentRoute.post("/forward", "forward").build())
                        .route(IdempotentRoute.post("/senderror", "senderror").build())
                        .route(IdempotentRoute.post("/async/{kind}", "async").build())
                        .errorPage("/error"));
    }

    @AfterAll
    static void stop() {
        server.close();
        oncegate.close();
    }

    @Test
    void aForwardStaysWithinTheGate() {
        String key = key();
        int before = server.runs.of("forward");
        HttpResponse<byte[]> first = server.send(server.json("/forward", key, "{}"));
        HttpResponse<byte[]> second = server.send(server.json("/forward", key, "{}"));
        assertThat(first.statusCode()).isEqualTo(202);
        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertThat(server.runs.of("forward")).isEqualTo(before + 1);
    }

    @Test
    void afterAnAsynchronousTimeOutNobodyKnows() {
        String key = key();
        int before = server.runs.of("never");
        assertThat(server.send(server.json("/async/never", key, "{}")).statusCode())
                .isEqualTo(503);
        assertProblem(server.send(server.json("/async/never", key, "{}")), 409, "outcome-unknown");
        assertThat(server.runs.of("never")).isEqualTo(before + 1);
    }

    @Test
    @DisplayName("C80: what the application's error page renders is kept byte for byte")
    void keepsTheErrorPage() {
        String key = key();
        HttpResponse<byte[]> first = server.send(server.json("/senderror", key, "{}"));
        HttpResponse<byte[]> second = server.send(server.json("/senderror", key, "{}"));
        assertThat(first.statusCode()).isEqualTo(409);
        assertThat(text(first)).contains("\"timestamp\"", "\"path\":\"/senderror\"", "run 1");
        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
    }

    @Test
    @DisplayName("C80: an error page that fails takes no key along: the refusal is done, and never runs again")
    void anErrorPageThatFailsLeavesNoClaimBehind() {
        try (GateServer broken = MvcServer.start(
                oncegate,
                gate -> gate.route(IdempotentRoute.post("/senderror", "broken").build())
                        .errorPage("/throws"))) {
            String key = key();
            assertThat(broken.send(broken.json("/senderror", key, "{}")).statusCode())
                    .isEqualTo(500);
            HttpResponse<byte[]> second = broken.send(broken.json("/senderror", key, "{}"));
            assertProblem(second, 410, "result-unavailable");
            assertThat(text(second)).contains("\"outcome\":\"refused\"");
            assertThat(broken.runs.of("senderror")).isEqualTo(1);
        }
    }

    @Test
    void anErrorPageThatIsNotThereDoesNotChangeTheStatus() {
        GateServer pageless = MvcServer.start(
                oncegate,
                gate -> gate.route(
                                IdempotentRoute.post("/senderror", "pageless").build())
                        .errorPage("/no/such/page"));
        try {
            String key = key();
            HttpResponse<byte[]> first = pageless.send(pageless.json("/senderror", key, "{}"));
            HttpResponse<byte[]> second = pageless.send(pageless.json("/senderror", key, "{}"));
            assertThat(first.statusCode()).isEqualTo(409);
            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(second.body()).isEqualTo(first.body());
        } finally {
            pageless.close();
        }
    }

    @Test
    void refusesRoutesThatProtectNothing() {
        assertThatThrownBy(() -> IdempotentRoute.of("get", "/a", "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        IdempotencyFilter.builder(oncegate, request -> null).build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(IdempotentRoute.post("/a", "a.b").build().toString()).isEqualTo("POST /a (a.b)");
    }
}
