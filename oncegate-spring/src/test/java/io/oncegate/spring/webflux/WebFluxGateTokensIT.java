package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.GateTokens;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.GateBuilder;
import java.util.function.Consumer;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class WebFluxGateTokensIT extends GateTokens {
    @RestController
    static class Held {
        private final Runs runs;

        Held(Runs runs) {
            this.runs = runs;
        }

        @PostMapping("/held/{status}")
        Mono<ResponseEntity<String>> held(@PathVariable int status) {
            return Mono.fromCallable(() -> ResponseEntity.status(status).body(runs.held()))
                    .subscribeOn(Schedulers.boundedElastic());
        }
    }

    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        IdempotencyWebFilter.Builder builder = IdempotencyWebFilter.builder(oncegate, exchange -> {
            String user = exchange.getRequest().getHeaders().getFirst("X-User");
            return user == null ? Mono.empty() : Mono.just(Scope.of(user));
        });
        more.accept(builder);
        return FluxServer.start(builder.build(), context -> context.registerBean(Held.class));
    }
}
