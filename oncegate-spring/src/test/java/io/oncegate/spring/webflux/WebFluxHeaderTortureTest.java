package io.oncegate.spring.webflux;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.HeaderTorture;
import java.time.Duration;
import java.util.List;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

class WebFluxHeaderTortureTest extends HeaderTorture {
    private final IdempotencyWebFilter filter = IdempotencyWebFilter.builder(
                    oncegate, exchange -> Mono.just(Scope.of("alice")))
            .route(ROUTE)
            .build();

    @Override
    protected Answer send(List<String> keys) {
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/orders")
                .header("Idempotency-Key", keys.toArray(String[]::new))
                .build());
        filter.filter(exchange, handled -> Mono.fromRunnable(runs::incrementAndGet))
                .block(Duration.ofSeconds(30));
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        String replayed = exchange.getResponse().getHeaders().getFirst("Idempotent-Replayed");
        return new Answer(status == null ? 200 : status.value(), replayed == null ? "" : replayed);
    }
}
