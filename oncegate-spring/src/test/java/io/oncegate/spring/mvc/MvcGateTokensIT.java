package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.GateTokens;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.GateBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

class MvcGateTokensIT extends GateTokens {
    @RestController
    static class Held {
        private final Runs runs;

        Held(Runs runs) {
            this.runs = runs;
        }

        @PostMapping("/held/{status}")
        DeferredResult<ResponseEntity<String>> held(@PathVariable int status) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>(60_000L);
            CompletableFuture<Void> ignored = CompletableFuture.runAsync(
                    () -> result.setResult(ResponseEntity.status(status).body(runs.held())),
                    task -> new Thread(task).start());
            return result;
        }
    }

    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        return MvcServer.start(oncegate, more::accept, context -> context.registerBean(Held.class));
    }
}
