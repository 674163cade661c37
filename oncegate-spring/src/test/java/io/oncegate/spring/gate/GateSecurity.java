package io.oncegate.spring.gate;

import static io.oncegate.spring.gate.GateRules.assertProblem;
import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The gate behind Spring Security, whose principal names the caller, within the tenant of the header X-Tenant. Users are
 * named by the header X-Login; who may buy stands in {@link #buyers}. {@code /orders} is protected by path, {@code /method}
 * by a check on the handler's method.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GateSecurity {
    protected final Set<String> buyers = ConcurrentHashMap.newKeySet();
    private Oncegate oncegate;
    private GateServer server;

    /** Starts such a server. */
    protected abstract GateServer start(Oncegate oncegate);

    @BeforeAll
    void start() {
        oncegate = Oncegate.claimed(new MemoryRecordStore()).build();
        server = start(oncegate);
    }

    @AfterAll
    void stop() {
        server.close();
        oncegate.close();
    }

    @BeforeEach
    void allMayBuy() {
        buyers.addAll(Set.of("alice", "bob"));
    }

    private HttpResponse<byte[]> buy(String path, String key, @Nullable String user, @Nullable String tenant) {
        HttpRequest.Builder request = server.request(path)
                .header("Idempotency-Key", key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"item\":\"A\",\"amount\":1}"));
        if (user != null) {
            request.header("X-Login", user);
        }
        if (tenant != null) {
            request.header("X-Tenant", tenant);
        }
        return server.send(request);
    }

    @Test
    @DisplayName("C76: two users, and one user in two tenants, have keys of their own")
    void theCallerIsThePrincipalWithinItsTenant() {
        String key = key();
        HttpResponse<byte[]> alice = buy("/orders", key, "alice", "acme");
        HttpResponse<byte[]> bob = buy("/orders", key, "bob", "acme");
        HttpResponse<byte[]> elsewhere = buy("/orders", key, "alice", "other");
        assertThat(alice.statusCode()).isEqualTo(201);
        assertThat(text(bob)).isNotEqualTo(text(alice));
        assertThat(text(elsewhere)).isNotEqualTo(text(alice)).isNotEqualTo(text(bob));
        assertThat(replayed(bob)).isFalse();
        assertThat(replayed(elsewhere)).isFalse();
        HttpResponse<byte[]> again = buy("/orders", key, "alice", "acme");
        assertThat(again.body()).isEqualTo(alice.body());
        assertThat(replayed(again)).isTrue();
    }

    @Test
    @DisplayName("C76: anonymous users and those without a tenant are refused")
    void theUnknownAreRefused() {
        int before = server.runs.of("csv");
        assertProblem(buy("/csv", key(), null, "acme"), 401, "caller-unknown");
        assertProblem(buy("/csv", key(), "alice", null), 401, "caller-unknown");
        assertThat(server.runs.of("csv")).isEqualTo(before);
        assertThat(buy("/csv", key(), "alice", "acme").statusCode()).isEqualTo(202);
    }

    @Test
    @DisplayName("C76: rules by path run again before a replay")
    void aRevokedRoleSeesNoStoredAnswer() {
        String key = key();
        String first = text(buy("/orders", key, "alice", "acme"));
        int before = server.runs.of("orders");
        buyers.remove("alice");
        HttpResponse<byte[]> second = buy("/orders", key, "alice", "acme");
        assertThat(second.statusCode()).isEqualTo(403);
        assertThat(replayed(second)).isFalse();
        assertThat(text(second)).doesNotContain(first);
        buyers.add("alice");
        assertThat(text(buy("/orders", key, "alice", "acme"))).isEqualTo(first);
        assertThat(server.runs.of("orders")).isEqualTo(before);
    }

    @Test
    @DisplayName("C76: where the handler's method is protected, the application is asked before a replay")
    void aRevokedRoleIsFoundByTheAuthorizer() {
        buyers.remove("bob");
        String refused = key();
        assertThat(buy("/method", refused, "bob", "acme").statusCode()).isEqualTo(403);
        buyers.add("bob");
        assertThat(buy("/method", refused, "bob", "acme").statusCode()).isEqualTo(200);

        String key = key();
        String first = text(buy("/method", key, "alice", "acme"));
        assertThat(first).startsWith("method ");
        int before = server.runs.of("method");
        buyers.remove("alice");
        HttpResponse<byte[]> second = buy("/method", key, "alice", "acme");
        assertProblem(second, 403, "replay-forbidden");
        assertThat(replayed(second)).isFalse();
        buyers.add("alice");
        assertThat(text(buy("/method", key, "alice", "acme"))).isEqualTo(first);
        assertThat(server.runs.of("method")).isEqualTo(before);
    }
}
