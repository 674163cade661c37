package io.oncegate.spring.webflux;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.TokenTorture;
import java.time.Duration;
import java.util.List;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

class WebFluxTokenTortureTest extends TokenTorture {
    private final IdempotencyWebFilter filter = IdempotencyWebFilter.builder(
                    oncegate, exchange -> Mono.just(Scope.of("alice")))
            .route(route)
            .build();

    @Override
    protected int send(List<String> tokens) {
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/orders")
                .header("Once-Token", tokens.toArray(String[]::new))
                .build());
        filter.filter(exchange, handled -> Mono.fromRunnable(runs::incrementAndGet))
                .block(Duration.ofSeconds(30));
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        return status == null ? 200 : status.value();
    }
}
