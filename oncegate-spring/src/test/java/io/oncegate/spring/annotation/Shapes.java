package io.oncegate.spring.annotation;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A bean with an annotated method for each kind of return type; counts the runs of each. */
class Shapes {
    static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    record Item(String name, BigDecimal price) {}

    final Map<String, Integer> runs = new ConcurrentHashMap<>();
    final Map<String, CompletableFuture<String>> gates = new ConcurrentHashMap<>();
    private final ObjectProvider<Shapes> self;

    Shapes(ObjectProvider<Shapes> self) {
        this.self = self;
    }

    private <T> T ran(String what, T value) {
        runs.merge(what, 1, Integer::sum);
        return value;
    }

    int runs(String what) {
        return runs.getOrDefault(what, 0);
    }

    CompletableFuture<String> gate(String name) {
        return gates.computeIfAbsent(name, unused -> new CompletableFuture<>());
    }

    CompletableFuture<String> takeGate(String name) {
        return gates.remove(name);
    }

    @Idempotent(operation = "shape.int", key = "#id")
    int zero(String id) {
        return ran("int", 0);
    }

    @Idempotent(operation = "shape.boolean", key = "#id")
    public boolean no(String id) {
        return ran("boolean", false);
    }

    @Idempotent(operation = "shape.text", key = "#id")
    public String blank(String id) {
        return ran("text", "");
    }

    @Idempotent(operation = "shape.list", key = "#id")
    public List<Item> emptyList(String id) {
        return ran("list", new ArrayList<>());
    }

    @Idempotent(operation = "shape.map", key = "#id")
    public Map<Long, BigDecimal> emptyMap(String id) {
        return ran("map", Map.of());
    }

    @Idempotent(operation = "shape.optional", key = "#id")
    public Optional<Item> none(String id) {
        return ran("optional", Optional.empty());
    }

    @Idempotent(operation = "shape.some", key = "#id")
    public Optional<Item> some(String id) {
        return ran("some", Optional.of(new Item("a", new BigDecimal("1.10"))));
    }

    @Idempotent(operation = "shape.null", key = "#id")
    public Item nothing(String id) {
        return ran("null", null);
    }

    @Idempotent(operation = "shape.void", key = "#id")
    public void act(String id) {
        ran("void", "");
    }

    @Idempotent(operation = "shape.stage", key = "#id")
    public CompletableFuture<String> stage(String id) {
        ran("stage", id);
        return gate(id);
    }

    @Idempotent(operation = "shape.stage-done", key = "#id")
    public CompletionStage<Item> stageDone(String id) {
        return ran("stage-done", CompletableFuture.completedFuture(new Item(id, BigDecimal.ONE)));
    }

    @Idempotent(operation = "shape.callable", key = "#id")
    public Callable<Integer> callable(String id) {
        return () -> ran("callable", 7);
    }

    @Idempotent(operation = "shape.mono", key = "#id")
    public Mono<String> mono(String id) {
        return Mono.fromFuture(() -> ran("mono", gate(id)), true);
    }

    @Idempotent(operation = "shape.mono-empty", key = "#id")
    public Mono<Void> monoEmpty(String id) {
        return Mono.fromRunnable(() -> ran("mono-empty", id));
    }

    @Idempotent(operation = "shape.flux", key = "#id")
    public Flux<Item> flux(String id) {
        return Flux.defer(() -> ran("flux", Flux.just(new Item("a", BigDecimal.ONE), new Item("b", BigDecimal.TEN))));
    }

    @Idempotent(operation = "shape.response", key = "#id")
    public ResponseEntity<Item> response(String id, int status) {
        return ran(
                "response",
                ResponseEntity.status(status)
                        .header("Location", "/items/1")
                        .header("Set-Cookie", "a=b")
                        .body(new Item(id, BigDecimal.ONE)));
    }

    @Idempotent(operation = "shape.fail", key = "#id", refusals = SoldOut.class)
    public String fail(String id, boolean refuse) {
        ran("fail", id);
        throw refuse ? new SoldOut("none left") : new IllegalStateException("broken");
    }

    @Idempotent(operation = "shape.checked", key = "#id")
    public String checked(String id) throws java.io.IOException {
        ran("checked", id);
        throw new java.io.IOException("checked");
    }

    @Idempotent(operation = "shape.nested", key = "#id", fingerprint = Idempotent.KEY_ALONE)
    public String nested(String id, Supplier<String> inside) {
        return ran("nested", inside.get());
    }

    @Idempotent(operation = "shape.again", key = "#id", waitUpTo = "20s", fingerprint = Idempotent.KEY_ALONE)
    public String again(String id, int depth) {
        ran("again", id);
        return depth == 0 ? "bottom" : self.getObject().again(id, depth - 1);
    }

    @Idempotent(operation = "shape.again-mono", key = "#id", waitUpTo = "20s")
    public Mono<String> againMono(String id) {
        return Mono.just(ran("again-mono", id))
                .flatMap(unused -> self.getObject().againMono(id));
    }
}
