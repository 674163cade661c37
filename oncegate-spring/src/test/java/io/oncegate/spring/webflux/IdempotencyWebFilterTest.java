package io.oncegate.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.oncegate.core.Oncegate;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.spring.gate.FailingStore;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeySource;
import io.oncegate.testsupport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.codec.multipart.Part;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** What only WebFlux knows: cancellation, buffers, contexts, event loops. In the process, without a server. */
class IdempotencyWebFilterTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ThreadWatch store = new ThreadWatch();
    private final Oncegate oncegate = Oncegate.claimed(store).build();
    private final AtomicInteger runs = new AtomicInteger();
    private final List<NettyDataBuffer> buffers = new CopyOnWriteArrayList<>();
    private final List<How> ends = new CopyOnWriteArrayList<>();
    private final IdempotencyWebFilter filter = IdempotencyWebFilter.builder(
                    oncegate, exchange -> Mono.just(Scope.of("alice")))
            .route(IdempotentRoute.post("/orders", "order.create").build())
            .route(IdempotentRoute.post("/told", "told")
                    .key(request -> {
                        store.look();
                        return new KeyReading.Found(request.headers("Token").get(0), how -> {
                            store.look();
                            ends.add(how);
                        });
                    })
                    .build())
            .maxBodyBytes(10_000)
            .memoryThreshold(100)
            .build();

    /** A store that counts the calls that came on threads that must not wait. */
    private static final class ThreadWatch implements RecordStore {
        private final RecordStore store = new MemoryRecordStore();
        private final AtomicInteger blocked = new AtomicInteger();

        void look() {
            if (Schedulers.isInNonBlockingThread()) {
                blocked.incrementAndGet();
            }
        }

        @Override
        public String name() {
            return "watched";
        }

        @Override
        public ClaimAnswer claim(ClaimRequest request) {
            look();
            return store.claim(request);
        }

        @Override
        public HolderAnswer renew(ClaimRef claim, Duration lease) {
            look();
            return store.renew(claim, lease);
        }

        @Override
        public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
            look();
            return store.settle(claim, settlement);
        }

        @Override
        public HolderAnswer release(ClaimRef claim) {
            look();
            return store.release(claim);
        }
    }

    @AfterEach
    void close() {
        oncegate.close();
    }

    private MockServerHttpRequest.BodyBuilder order(String key) {
        return MockServerHttpRequest.post("/orders").header("Idempotency-Key", key);
    }

    private MockServerHttpResponse send(MockServerHttpRequest request, WebFilterChain chain) {
        MockServerWebExchange exchange = MockServerWebExchange.from(request);
        // from a thread that must not wait, as an event loop is
        Mono.defer(() -> filter.filter(exchange, chain))
                .subscribeOn(Schedulers.parallel())
                .block(LONG);
        return exchange.getResponse();
    }

    private static String key() {
        return UUID.randomUUID().toString();
    }

    private NettyDataBuffer buffer(String text) {
        NettyDataBuffer buffer =
                new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT).allocateBuffer(text.length());
        buffer.write(text.getBytes(StandardCharsets.UTF_8));
        buffers.add(buffer);
        return buffer;
    }

    private void assertNothingLeaks() {
        Await.until(
                "all buffers are released",
                LONG,
                () -> buffers.stream()
                        .allMatch(buffer -> buffer.getNativeBuffer().refCnt() == 0));
    }

    @Test
    @DisplayName("C85: a subscription that is cancelled cancels no handler, and its answer is kept")
    void outlivesACancelledSubscription() throws Exception {
        String key = key();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        WebFilterChain slow = exchange -> Mono.deferContextual(context -> Mono.fromCallable(() -> {
                    entered.countDown();
                    go.await(30, TimeUnit.SECONDS);
                    return context.<String>get("user") + " " + runs.incrementAndGet();
                }))
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(text -> exchange.getResponse().writeWith(Mono.just(buffer(text))));
        Disposable client = filter.filter(MockServerWebExchange.from(order(key).build()), slow)
                .contextWrite(context -> context.put("user", "alice"))
                .subscribe();
        assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
        client.dispose();
        MockServerHttpResponse during = send(order(key).build(), slow);
        assertThat(during.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
        assertThat(during.getHeaders().getFirst("Retry-After")).isNotNull();
        go.countDown();
        Await.until(
                "the replay",
                LONG,
                () -> "alice 1"
                        .equals(send(order(key).build(), slow).getBodyAsString().block(LONG)));
        assertThat(runs).hasValue(1);
        assertNothingLeaks();
    }

    @Test
    void releasesEveryBuffer() {
        WebFilterChain echo =
                exchange -> DataBufferUtils.join(exchange.getRequest().getBody())
                        .flatMap(body -> {
                            int length = body.readableByteCount();
                            DataBufferUtils.release(body);
                            return exchange.getResponse().writeWith(Flux.just(buffer("read "), buffer("" + length)));
                        });
        MockServerHttpResponse whole =
                send(order(key()).body(Flux.just(buffer("a".repeat(90)), buffer("b".repeat(90)))), echo);
        assertThat(whole.getBodyAsString().block(LONG)).isEqualTo("read 180");
        MockServerHttpResponse large =
                send(order(key()).body(Flux.range(0, 12).map(i -> (DataBuffer) buffer("c".repeat(1000)))), echo);
        assertThat(large.getStatusCode()).isEqualTo(HttpStatus.CONTENT_TOO_LARGE);
        MockServerHttpResponse broken = send(
                order(key()).body(Flux.concat(Mono.just(buffer("d")), Mono.error(new java.io.IOException("cut off")))),
                echo);
        assertThat(broken.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
        String key = key();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> send(
                            order(key).build(),
                            exchange -> exchange.getResponse()
                                    .writeWith(Flux.concat(
                                            Mono.just(buffer("half " + runs.incrementAndGet())),
                                            Mono.error(new ResponseStatusException(HttpStatus.CONFLICT))))))
                    .isInstanceOf(ResponseStatusException.class);
        }
        assertThat(runs).as("an answer that broke off is not kept").hasValue(2);
        assertNothingLeaks();
    }

    @Test
    @DisplayName("C85: a client that hangs up within a body leaves no buffer behind")
    void releasesTheBuffersOfABodyThatIsCutOff() {
        for (int i = 0; i < 100; i++) {
            Sinks.Empty<Void> gone = Sinks.empty();
            Flux<DataBuffer> cutOff = Flux.concat(
                    Flux.range(0, 5).map(part -> (DataBuffer) buffer("part" + part)),
                    Mono.fromRunnable(gone::tryEmitEmpty),
                    Mono.never());
            filter.filter(MockServerWebExchange.from(order(key()).body(cutOff)), exchange -> Mono.empty())
                    .takeUntilOther(gone.asMono())
                    .block(LONG);
        }
        assertNothingLeaks();
    }

    @Test
    void anErrorThatNobodyRendersIsKeptAsAProblem() {
        String key = key();
        for (int i = 0; i < 2; i++) {
            MockServerHttpResponse answer = send(order(key).build(), exchange -> {
                runs.incrementAndGet();
                return Mono.error(new ResponseStatusException(HttpStatus.CONFLICT, "sold out"));
            });
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
            assertThat(answer.getBodyAsString().block(LONG)).contains("\"detail\":\"sold out\"");
        }
        assertThat(runs).hasValue(1);
    }

    @Test
    void handlersThatNeverEndAreCancelledAndNobodyKnows() {
        String key = key();
        IdempotencyWebFilter impatient = IdempotencyWebFilter.builder(
                        oncegate, exchange -> Mono.just(Scope.of("alice")))
                .route(IdempotentRoute.post("/orders", "order.create").build())
                .handlerTimeout(Duration.ofMillis(50))
                .build();
        AtomicInteger cancelled = new AtomicInteger();
        WebFilterChain endless = exchange -> exchange.getResponse()
                .writeWith(Flux.interval(Duration.ofMillis(5)).map(tick -> (DataBuffer) buffer("tick")))
                .doOnCancel(cancelled::incrementAndGet);
        for (int i = 0; i < 2; i++) {
            MockServerWebExchange exchange =
                    MockServerWebExchange.from(order(key).build());
            impatient.filter(exchange, endless).block(LONG);
            assertThat(exchange.getResponse().getStatusCode())
                    .isEqualTo(i == 0 ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.CONFLICT);
            assertThat(exchange.getResponse().getBodyAsString().block(LONG)).contains("outcome-unknown");
        }
        assertThat(cancelled).hasValue(1);
        assertNothingLeaks();
    }

    @Test
    @DisplayName("C05: a token whose handlers are cut off is burnt, and its client is told that nobody knows")
    void nobodyKnowsOfHandlersThatAreCutOffWithoutARecord() {
        FailingStore down = new FailingStore(new MemoryRecordStore());
        down.failClaims(true);
        try (Oncegate without = Oncegate.claimed(down).build()) {
            IdempotencyWebFilter impatient = IdempotencyWebFilter.builder(
                            without, exchange -> Mono.just(Scope.of("alice")))
                    .route(IdempotentRoute.post("/orders", "order.create")
                            .policies(operation -> operation.whenStoreDown(WhenStoreDown.RUN_UNPROTECTED))
                            .build())
                    .route(IdempotentRoute.post("/told", "told")
                            .key(request -> new KeyReading.Unrecorded(ends::add))
                            .build())
                    .handlerTimeout(Duration.ofMillis(50))
                    .build();
            for (String path : List.of("/orders", "/told")) {
                MockServerWebExchange exchange = MockServerWebExchange.from(
                        MockServerHttpRequest.post(path).header("Idempotency-Key", key()));
                impatient.filter(exchange, endless -> Mono.never()).block(LONG);
                assertThat(exchange.getResponse().getStatusCode()).as(path).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
                assertThat(exchange.getResponse().getBodyAsString().block(LONG)).contains("outcome-unknown");
            }
            assertThat(ends).containsExactly(How.UNKNOWN);
        }
    }

    @Test
    void whatHandlersFailWithIsNotTheEnginesFailure() {
        for (RuntimeException failure : List.of(
                new StoreUnavailableException("another store", "taken down", null),
                new InvalidKeyException("another key"))) {
            assertThatThrownBy(() -> send(order(key()).build(), exchange -> Mono.error(failure)))
                    .isSameAs(failure);
        }
    }

    @Test
    @DisplayName("C77: an answer that is lost before it was recorded is done all the same, and never runs again")
    void anAnswerThatIsLostIsDoneAllTheSame() {
        String key = key();
        WebFilterChain losing = exchange -> exchange.getResponse()
                .writeWith(Mono.just(buffer("x".repeat(200))))
                .then(Mono.fromRunnable(() -> {
                    runs.incrementAndGet();
                    removeTemporaryFiles();
                }));
        assertThatThrownBy(() -> send(order(key).build(), losing)).hasRootCauseInstanceOf(NoSuchFileException.class);
        MockServerHttpResponse second = send(order(key).build(), losing);
        assertThat(second.getStatusCode()).isEqualTo(HttpStatus.GONE);
        assertThat(second.getBodyAsString().block(LONG)).contains("\"outcome\":\"succeeded\"");
        assertThat(runs).hasValue(1);
        assertNothingLeaks();
    }

    private static void removeTemporaryFiles() {
        String prefix = "oncegate-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith(prefix)) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void filesOfAFormWithoutAKeyAreRemovedAfterAFailure() {
        IdempotencyWebFilter optional = IdempotencyWebFilter.builder(oncegate, exchange -> Mono.just(Scope.of("alice")))
                .route(IdempotentRoute.post("/upload", "upload")
                        .key(KeySource.formField("key"))
                        .keyOptional()
                        .build())
                .build();
        MockServerHttpRequest upload = MockServerHttpRequest.post("/upload")
                .header("Content-Type", "multipart/form-data; boundary=b")
                .body("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + "x".repeat(500_000)
                        + "\r\n--b--\r\n");
        AtomicReference<Part> file = new AtomicReference<>();
        assertThatThrownBy(() -> optional.filter(
                                MockServerWebExchange.from(upload),
                                exchange -> exchange.getMultipartData()
                                        .doOnNext(parts -> file.set(parts.getFirst("f")))
                                        .then(Mono.error(new IllegalStateException("no"))))
                        .block(LONG))
                .hasMessage("no");
        Await.until("the file has gone", LONG, () -> {
            try {
                DataBufferUtils.release(
                        DataBufferUtils.join(file.get().content()).block(LONG));
                return false;
            } catch (RuntimeException e) {
                return e.getCause() instanceof NoSuchFileException;
            }
        });
    }

    @Test
    void noEventLoopWaitsForAStoreOrASource() {
        WebFilterChain handler = exchange -> Mono.fromRunnable(runs::incrementAndGet);
        MockServerHttpRequest told =
                MockServerHttpRequest.post("/told").header("Token", "t1").build();
        assertThat(send(told, handler).getHeaders().getFirst("Idempotent-Replayed"))
                .isNull();
        assertThat(send(told, handler).getHeaders().getFirst("Idempotent-Replayed"))
                .isEqualTo("true");
        assertThat(ends).containsExactly(How.SUCCEEDED, How.NOT_RUN);
        assertThatThrownBy(() -> send(
                        MockServerHttpRequest.post("/told")
                                .header("Token", "t2")
                                .build(),
                        exchange -> Mono.error(new IllegalStateException("no"))))
                .hasMessage("no");
        assertThat(ends).containsExactly(How.SUCCEEDED, How.NOT_RUN, How.FAILED);
        assertThat(store.blocked).hasValue(0);
    }
}
