package io.oncegate.spring.webflux;

import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.http.IdempotentRoute;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

class FormReadBeforeTest {
    /** Reads forms as a CSRF check does. */
    @Order(-10)
    static final class Csrf implements WebFilter {
        @Override
        public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
            return exchange.getFormData().then(chain.filter(exchange));
        }
    }

    @Test
    @DisplayName("C83: a form that a filter before the gate has read reaches the controller and is compared")
    void aFormMayBeReadBeforeTheGate() {
        try (Oncegate oncegate = Oncegate.claimed(new MemoryRecordStore()).build();
                GateServer server = FluxServer.start(
                        IdempotencyWebFilter.builder(oncegate, exchange -> Mono.just(Scope.of("alice")))
                                .route(IdempotentRoute.post("/form", "form").build())
                                .build(),
                        context -> context.registerBean(Csrf.class))) {
            String key = key();
            String type = "application/x-www-form-urlencoded";
            byte[] form = "name=A&city=B&q=2".getBytes(UTF_8);
            HttpResponse<byte[]> first = server.send(server.post("/form?q=1", key, type, form));
            HttpResponse<byte[]> second = server.send(server.post("/form?q=1", key, type, form));
            assertThat(text(first)).startsWith("A|B|1,2|");
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(replayed(second)).isTrue();
            HttpResponse<byte[]> other =
                    server.send(server.post("/form?q=1", key, type, "name=X&city=B&q=2".getBytes(UTF_8)));
            assertThat(other.statusCode()).isEqualTo(422);
        }
    }
}
