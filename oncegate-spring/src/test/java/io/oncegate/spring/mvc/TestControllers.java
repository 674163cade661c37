package io.oncegate.spring.mvc;

import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.KeySource;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Handlers of every kind, each of which counts its runs. */
@RestController
class TestControllers {
    private final Runs runs;

    TestControllers(Runs runs) {
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
    ResponseEntity<Map<String, Object>> order(@RequestBody Order order) {
        int number = runs.next("orders");
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("number", number);
        body.put("item", order.item());
        return ResponseEntity.created(URI.create("/orders/" + number))
                .eTag("v" + number)
                .body(body);
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
    void headers(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int run = runs.next("headers");
        request.getSession(true);
        response.setStatus(201);
        response.addCookie(new Cookie("cart", "of-alice"));
        response.addHeader("Set-Cookie", "track=1");
        response.setHeader("Location", "/headers/" + run);
        response.setHeader("ETag", "\"" + run + "\"");
        response.setDateHeader("Date", new Date().getTime() - 3_600_000);
        response.setHeader("WWW-Authenticate", "Bearer");
        response.setHeader("X-Request-Id", "r" + run);
        response.setHeader("X-RateLimit-Remaining", "9");
        response.setHeader("RateLimit", "limit=10");
        response.setHeader("X-Internal", "secret");
        response.setHeader("X-Shop", "kept");
        response.addHeader("Link", "</a>; rel=\"first\"");
        response.addHeader("Link", "</b>; rel=\"next\"");
        response.setContentType("text/plain;charset=UTF-8");
        response.getWriter().write("übrigens");
    }

    @PostMapping("/csv")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ResponseEntity<String> csv() {
        return ResponseEntity.accepted()
                .contentType(MediaType.parseMediaType("text/csv"))
                .body("a;b;" + runs.next("csv"));
    }

    @PostMapping("/none")
    ResponseEntity<Void> none() {
        runs.next("none");
        return ResponseEntity.noContent().build();
    }

    @PostMapping("/empty")
    void empty() {
        runs.next("empty");
    }

    @PostMapping("/direct")
    void direct(HttpServletResponse response) throws IOException {
        response.setContentType("application/octet-stream");
        response.getOutputStream().write(new byte[] {0, 1, 2, (byte) runs.next("direct")});
        response.flushBuffer();
    }

    @PostMapping("/redirect")
    void redirect(HttpServletResponse response) throws IOException {
        response.sendRedirect("/orders/" + runs.next("redirect"));
    }

    @PostMapping("/soldout")
    String soldOut() {
        runs.next("soldout");
        throw new SoldOut();
    }

    @PostMapping("/senderror")
    String sendError() {
        throw new ResponseStatusException(HttpStatus.CONFLICT, "run " + runs.next("senderror"));
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
    String form(@RequestParam String name, @RequestParam String city, HttpServletRequest request) {
        return name + "|" + city + "|" + String.join(",", request.getParameterValues("q")) + "|" + runs.next("form");
    }

    @PostMapping("/upload")
    String upload(@RequestParam MultipartFile one, @RequestParam MultipartFile two, @RequestParam String note)
            throws Exception {
        return one.getOriginalFilename() + ":" + one.getContentType() + ":" + GateServer.sha(one.getBytes()) + "|"
                + two.getOriginalFilename() + ":" + two.getSize() + "|" + note + "|" + runs.next("upload");
    }

    @PostMapping("/raw")
    String raw(HttpServletRequest request) throws Exception {
        runs.next("raw");
        byte[] body = request.getInputStream().readAllBytes();
        return body.length + " " + GateServer.sha(body);
    }

    @PostMapping("/text")
    String text(@RequestBody String text) {
        return text + runs.next("text");
    }

    @PostMapping("/big/{size}")
    byte[] big(@PathVariable int size) {
        runs.next("big");
        return new byte[size];
    }

    @PostMapping("/slow")
    String slow() throws Exception {
        int run = runs.next("slow");
        runs.entered.countDown();
        runs.gate.await(20, TimeUnit.SECONDS);
        runs.left.countDown();
        return "slow " + run;
    }

    @PostMapping("/async/callable")
    Callable<String> callable() {
        return () -> {
            Thread.sleep(100);
            return "callable " + runs.next("callable");
        };
    }

    @PostMapping("/async/deferred")
    DeferredResult<ResponseEntity<String>> deferred() {
        DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
        CompletableFuture<Void> ignored = CompletableFuture.runAsync(
                () -> result.setResult(ResponseEntity.status(201).body("deferred " + runs.next("deferred"))),
                CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
        return result;
    }

    @PostMapping("/async/fails")
    DeferredResult<String> deferredFails() {
        runs.next("asyncfails");
        DeferredResult<String> result = new DeferredResult<>();
        CompletableFuture<Void> ignored =
                CompletableFuture.runAsync(() -> result.setErrorResult(new IllegalStateException("no")));
        return result;
    }

    @PostMapping("/async/never")
    DeferredResult<String> never() {
        runs.next("never");
        return new DeferredResult<>();
    }

    @PostMapping("/async/stream")
    StreamingResponseBody stream() {
        return out -> {
            for (int i = 0; i < 3; i++) {
                out.write(("part" + i + " ").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            out.write(("run " + runs.next("stream")).getBytes(StandardCharsets.UTF_8));
        };
    }

    @PostMapping("/async/emitter")
    ResponseBodyEmitter emitter() {
        ResponseBodyEmitter emitter = new ResponseBodyEmitter();
        CompletableFuture<Void> ignored = CompletableFuture.runAsync(() -> {
            try {
                emitter.send("one ");
                emitter.send("run " + runs.next("emitter"));
                emitter.complete();
            } catch (IOException e) {
                emitter.completeWithError(e);
            }
        });
        return emitter;
    }

    @PostMapping("/async/future")
    CompletableFuture<String> future() {
        return CompletableFuture.supplyAsync(
                () -> "future " + runs.next("future"), CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
    }

    @PostMapping("/async/sse")
    SseEmitter sse() {
        SseEmitter emitter = new SseEmitter();
        CompletableFuture<Void> ignored = CompletableFuture.runAsync(() -> {
            try {
                emitter.send("one");
                emitter.send("run " + runs.next("sse"));
                emitter.complete();
            } catch (IOException e) {
                emitter.completeWithError(e);
            }
        });
        return emitter;
    }

    @PostMapping("/async/mono")
    @ResponseStatus(HttpStatus.CREATED)
    Mono<String> mono() {
        return Mono.delay(Duration.ofMillis(100)).map(tick -> "mono " + runs.next("mono"));
    }

    @PostMapping(value = "/async/flux", produces = "text/event-stream")
    Flux<String> flux() {
        return Flux.just("one", "two")
                .delayElements(Duration.ofMillis(30))
                .concatWith(Mono.fromSupplier(() -> "run " + runs.next("flux")));
    }

    @PostMapping("/async/servlet")
    void servlet(HttpServletRequest request) {
        AsyncContext async = request.startAsync();
        async.start(() -> {
            try {
                async.getResponse().getWriter().write("servlet " + runs.next("servlet"));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } finally {
                async.complete();
            }
        });
    }

    @RequestMapping("/forward")
    void forward(HttpServletRequest request, HttpServletResponse response) throws Exception {
        runs.next("forward");
        request.getRequestDispatcher("/csv").forward(request, response);
    }
}
