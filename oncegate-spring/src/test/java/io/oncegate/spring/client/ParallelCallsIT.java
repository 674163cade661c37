package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** Calls side by side, each refused twice after its effect: no key is shared or swapped. */
class ParallelCallsIT {
    private static final int CALLS = 50;
    private static final IdempotencyKeys KEYS = IdempotencyKeys.toHosts("127.0.0.1");

    @Test
    void callsOnPooledThreadsKeepTheirOwnKeys() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (OrderServer server = new OrderServer()) {
            RestClient client = RestClient.builder()
                    .requestFactory(new JdkClientHttpRequestFactory(plain()))
                    .baseUrl(server.root())
                    .requestInterceptor(new IdempotentRequestInterceptor(KEYS))
                    .build();
            RetryTemplate retry = new RetryTemplate(RetryPolicy.builder()
                    .maxRetries(10)
                    .delay(Duration.ofMillis(5))
                    .build());
            List<String> calls = calls();
            List<Callable<String>> work = calls.stream()
                    .<Callable<String>>map(call -> () -> {
                        LogicalCall order = LogicalCall.begin();
                        return retry.execute(() -> order.attempt(() -> client.post()
                                .uri("/orders")
                                .header("X-Call", call)
                                .header("X-Refuse", "yes")
                                .body("{}")
                                .retrieve()
                                .body(String.class)));
                    })
                    .toList();
            for (Future<String> answer : threads.invokeAll(work)) {
                assertThat(answer.get()).startsWith("order 1 of ");
            }
            assertEachHasItsOwn(server, calls);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void reactiveCallsKeepTheirOwnKeys() {
        try (OrderServer server = new OrderServer()) {
            WebClient client = WebClient.builder()
                    .clientConnector(new JdkClientHttpConnector(plain()))
                    .baseUrl(server.root())
                    .apply(new IdempotentWebClient(KEYS))
                    .build();
            List<String> calls = calls();
            List<String> answers = Flux.fromIterable(calls)
                    .flatMap(call -> client.post()
                            .uri("/orders")
                            .header("X-Call", call)
                            .header("X-Refuse", "yes")
                            .bodyValue("{}")
                            .retrieve()
                            .bodyToMono(String.class)
                            .retryWhen(Retry.fixedDelay(10, Duration.ofMillis(5))))
                    .collectList()
                    .block(Duration.ofMinutes(2));
            assertThat(answers).hasSize(CALLS).allMatch(answer -> answer.startsWith("order 1 of "));
            assertEachHasItsOwn(server, calls);
        }
    }

    private static HttpClient plain() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static List<String> calls() {
        return IntStream.range(0, CALLS)
                .mapToObj(i -> UUID.randomUUID().toString())
                .toList();
    }

    private static void assertEachHasItsOwn(OrderServer server, List<String> calls) {
        Set<String> all = new HashSet<>();
        for (String call : calls) {
            assertThat(server.orders(call)).isEqualTo(1);
            assertThat(server.keys(call)).hasSizeGreaterThanOrEqualTo(3);
            assertThat(new HashSet<>(server.keys(call))).hasSize(1);
            all.addAll(server.keys(call));
        }
        assertThat(all).hasSize(CALLS).doesNotContain("null");
    }
}
