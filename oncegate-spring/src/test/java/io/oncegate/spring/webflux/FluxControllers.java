package io.oncegate.spring.webflux;

import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.KeySource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.FormFieldPart;
import org.springframework.http.codec.multipart.Part;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The same handlers as those of Spring MVC, reactive. */
@RestController
class FluxControllers {
    private final Runs runs;

    FluxControllers(Runs runs) {
        this.runs = runs;
    }

    record Order(String item, Object amount) {}

    static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @RestControllerAdvice
    static class Advice {
        @ExceptionHandler
        ProblemDetail soldOut(SoldOut e) {
            return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "sold out");
        }
    }

    @PostMapping("/orders")
    Mono<ResponseEntity<Map<String, Object>>> order(@RequestBody Mono<Order> order) {
        return order.map(read -> {
            int number = runs.next("orders");
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("number", number);
            body.put("item", read.item());
            return ResponseEntity.created(URI.create("/orders/" + number))
                    .eTag("v" + number)
                    .body(body);
        });
    }

    @GetMapping("/orders")
    String list() {
        return "list " + runs.next("list");
    }

    @PostMapping("/refunds")
    String refund(@RequestBody Order order) {
        return "refund " + runs.next("refunds");
    }

    @PutMapping("/t/{id}")
    String put(@PathVariable String id) {
        return id + " " + runs.next("t");
    }

    @PostMapping("/headers")
    Mono<String> headers(ServerWebExchange exchange, ServerHttpResponse response) {
        int run = runs.next("headers");
        response.setStatusCode(HttpStatus.CREATED);
        response.addCookie(ResponseCookie.from("cart", "of-alice").build());
        response.addCookie(ResponseCookie.from("session", "s").build());
        response.getHeaders().add("Set-Cookie", "track=1");
        response.getHeaders().set("Location", "/headers/" + run);
        response.getHeaders().set("ETag", "\"" + run + "\"");
        response.getHeaders().setDate("Date", System.currentTimeMillis() - 3_600_000);
        response.getHeaders().set("WWW-Authenticate", "Bearer");
        response.getHeaders().set("X-Request-Id", "r" + run);
        response.getHeaders().set("X-RateLimit-Remaining", "9");
        response.getHeaders().set("RateLimit", "limit=10");
        response.getHeaders().set("X-Internal", "secret");
        response.getHeaders().set("X-Shop", "kept");
        response.getHeaders().add("Link", "</a>; rel=\"first\"");
        response.getHeaders().add("Link", "</b>; rel=\"next\"");
        response.getHeaders().setContentType(MediaType.parseMediaType("text/plain;charset=UTF-8"));
        return Mono.just("übrigens");
    }

    @PostMapping("/csv")
    ResponseEntity<String> csv() {
        return ResponseEntity.accepted()
                .contentType(MediaType.parseMediaType("text/csv"))
                .body("a;b;" + runs.next("csv"));
    }

    @PostMapping("/none")
    Mono<ResponseEntity<Void>> none() {
        runs.next("none");
        return Mono.just(ResponseEntity.noContent().build());
    }

    @PostMapping("/empty")
    Mono<Void> empty() {
        return Mono.fromRunnable(() -> runs.next("empty"));
    }

    @PostMapping("/direct")
    Mono<Void> direct(ServerHttpResponse response) {
        response.getHeaders().setContentType(MediaType.APPLICATION_OCTET_STREAM);
        byte[] bytes = {0, 1, 2, (byte) runs.next("direct")};
        return response.writeAndFlushWith(
                Flux.just(Flux.just(response.bufferFactory().wrap(bytes))));
    }

    @PostMapping("/redirect")
    Mono<Void> redirect(ServerHttpResponse response) {
        response.setStatusCode(HttpStatus.FOUND);
        response.getHeaders().set("Location", "/orders/" + runs.next("redirect"));
        return response.setComplete();
    }

    @PostMapping("/soldout")
    Mono<String> soldOut() {
        runs.next("soldout");
        return Mono.error(new SoldOut());
    }

    @PostMapping("/senderror")
    Mono<String> sendError() {
        return Mono.error(new ResponseStatusException(HttpStatus.CONFLICT, "run " + runs.next("senderror")));
    }

    @PostMapping("/key")
    String key(@RequestAttribute(name = KeySource.ATTRIBUTE, required = false) @Nullable String key) {
        return "key " + key;
    }

    @PostMapping("/status/{status}")
    ResponseEntity<String> status(@PathVariable int status) {
        return ResponseEntity.status(status).body("run " + runs.next("status" + status));
    }

    @PostMapping("/throws")
    String fails() {
        throw new IllegalStateException("run " + runs.next("throws"));
    }

    @PostMapping("/binary")
    byte[] binary() {
        runs.next("binary");
        byte[] bytes = new byte[200_000];
        new Random(runs.of("binary")).nextBytes(bytes);
        return bytes;
    }

    @PostMapping("/gzip")
    ResponseEntity<byte[]> gzip() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(("hello " + runs.next("gzip")).getBytes(StandardCharsets.UTF_8));
        }
        return ResponseEntity.ok()
                .header("Content-Encoding", "gzip")
                .contentType(MediaType.TEXT_PLAIN)
                .body(bytes.toByteArray());
    }

    @PostMapping("/image")
    ResponseEntity<byte[]> image() {
        return ResponseEntity.ok().contentType(MediaType.IMAGE_PNG).body(new byte[] {(byte) runs.next("image"), -1, 0});
    }

    @PostMapping("/form")
    Mono<String> form(ServerWebExchange exchange) {
        MultiValueMap<String, String> query = exchange.getRequest().getQueryParams();
        return exchange.getFormData()
                .map(form -> form.getFirst("name") + "|" + form.getFirst("city") + "|" + query.getFirst("q") + ","
                        + form.getFirst("q") + "|" + runs.next("form"));
    }

    @PostMapping("/upload")
    Mono<String> upload(@RequestPart FilePart one, @RequestPart FilePart two, @RequestPart("note") FormFieldPart note) {
        return bytes(one)
                .zipWith(
                        bytes(two),
                        (a, b) -> one.filename() + ":"
                                + one.headers().getContentType() + ":" + GateServer.sha(a) + "|" + two.filename() + ":"
                                + b.length + "|"
                                + note.value() + "|" + runs.next("upload"));
    }

    private static Mono<byte[]> bytes(Part part) {
        return joined(part.content());
    }

    private static Mono<byte[]> joined(Flux<DataBuffer> content) {
        return DataBufferUtils.join(content)
                .map(buffer -> {
                    byte[] bytes = new byte[buffer.readableByteCount()];
                    buffer.read(bytes);
                    DataBufferUtils.release(buffer);
                    return bytes;
                })
                .defaultIfEmpty(new byte[0]);
    }

    @PostMapping("/raw")
    Mono<String> raw(ServerWebExchange exchange) {
        runs.next("raw");
        return joined(exchange.getRequest().getBody()).map(body -> body.length + " " + GateServer.sha(body));
    }

    @PostMapping("/text")
    Mono<String> text(@RequestBody Mono<String> text) {
        return text.map(read -> read + runs.next("text"));
    }

    @PostMapping("/big/{size}")
    byte[] big(@PathVariable int size) {
        runs.next("big");
        return new byte[size];
    }

    @PostMapping("/slow")
    Mono<String> slow() {
        int run = runs.next("slow");
        runs.entered.countDown();
        return Mono.fromCallable(() -> {
                    runs.gate.await(20, TimeUnit.SECONDS);
                    runs.left.countDown();
                    return "slow " + run;
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    @PostMapping("/async/future")
    CompletableFuture<String> future() {
        return CompletableFuture.supplyAsync(
                () -> "future " + runs.next("future"), CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
    }

    @PostMapping("/async/mono")
    @ResponseStatus(HttpStatus.CREATED)
    Mono<String> mono() {
        return Mono.delay(Duration.ofMillis(100)).map(tick -> "mono " + runs.next("mono"));
    }

    @PostMapping("/async/flux")
    Flux<String> flux() {
        return Flux.just("one ", "two ")
                .delayElements(Duration.ofMillis(30))
                .concatWith(Mono.fromSupplier(() -> "run " + runs.next("flux")));
    }

    @PostMapping(value = "/async/sse", produces = "text/event-stream")
    Flux<String> sse() {
        return Flux.just("one", "two")
                .delayElements(Duration.ofMillis(30))
                .concatWith(Mono.fromSupplier(() -> "run " + runs.next("sse")));
    }

    @PostMapping("/async/stream")
    Mono<Void> stream(ServerHttpResponse response) {
        Flux<String> parts = Flux.just("part0 ", "part1 ")
                .delayElements(Duration.ofMillis(30))
                .concatWith(Mono.fromSupplier(() -> "run " + runs.next("stream")));
        return response.writeAndFlushWith(
                parts.map(part -> Mono.just(response.bufferFactory().wrap(part.getBytes(StandardCharsets.UTF_8)))));
    }

    @PostMapping("/async/fails")
    Mono<String> asyncFails() {
        runs.next("asyncfails");
        return Mono.delay(Duration.ofMillis(20)).then(Mono.error(new IllegalStateException("no")));
    }

    @PostMapping("/half")
    Mono<Void> half(ServerHttpResponse response) {
        int run = runs.next("half");
        return response.writeWith(Flux.concat(
                Mono.just(response.bufferFactory().wrap(("half " + run).getBytes(StandardCharsets.UTF_8))),
                Mono.error(new ResponseStatusException(HttpStatus.CONFLICT))));
    }
}
