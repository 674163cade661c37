package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.spring.client.Ways.Way;
import java.util.HashSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One request through each client and each way to retry, whose first two replies get lost: one effect, one key. */
class ClientTimeoutsIT {
    private static OrderServer server;
    private static Ways ways;

    @BeforeAll
    static void start() {
        server = new OrderServer();
        ways = new Ways(server.root());
    }

    @AfterAll
    static void stop() {
        ways.close();
        server.close();
    }

    static Stream<Named<Way>> ways() {
        return Stream.of(
                Named.of("RestClient, its own retry", ways::restClientOwn),
                Named.of("RestTemplate, its own retry", ways::restTemplateOwn),
                Named.of("RestClient, Framework's RetryTemplate", ways::restClientFrameworkRetry),
                Named.of(
                        "RestClient, Framework's @Retryable",
                        call -> ways.shop.framework().order(call)),
                Named.of("RestClient, Spring Retry's RetryTemplate", ways::restClientSpringRetry),
                Named.of(
                        "RestClient, Spring Retry's @Retryable",
                        call -> ways.shop.springRetry().order(call)),
                Named.of("RestClient, Resilience4j", ways::restClientResilience4j),
                Named.of("RestClient, on a virtual thread", ways::restClientOnVirtualThreads),
                Named.of("HTTP interface over RestClient, its own retry", ways::httpInterfaceOverRestClientOwn),
                Named.of(
                        "HTTP interface over RestClient, Framework's RetryTemplate",
                        ways::httpInterfaceOverRestClientFrameworkRetry),
                Named.of("HTTP interface over WebClient, its own retry", ways::httpInterfaceOverWebClientOwn),
                Named.of("HTTP interface over WebClient, retryWhen", ways::httpInterfaceOverWebClientRetryWhen),
                Named.of("HTTP interface over WebClient, blocking", ways::httpInterfaceOverWebClientBlocking),
                Named.of("WebClient, its own retry", ways::webClientOwn),
                Named.of("WebClient, timeout and retryWhen", ways::webClientRetryWhen),
                Named.of("WebClient, Resilience4j's operator", ways::webClientResilience4j),
                Named.of("WebClient, built anew in each attempt", ways::webClientDeferred),
                Named.of("WebClient, blocking in Framework's RetryTemplate", ways::webClientBlocking),
                Named.of(
                        "WebClient, Framework's @Retryable, built anew in each attempt",
                        call -> ways.shop.reactive().order(call).block()),
                Named.of(
                        "WebClient, Framework's @Retryable alone",
                        call -> ways.shop.reactive().eager(call).block()),
                Named.of("Feign, its Retryer", ways::feignRetryer),
                Named.of("Feign, Resilience4j", ways::feignResilience4j),
                Named.of("HttpClient, its own retry", ways::httpClientOwn),
                Named.of("HttpClient, its own retry, asynchronous", ways::httpClientOwnAsync),
                Named.of("HttpClient, a keyed request in a loop", ways::httpClientKeyedLoop),
                Named.of("HttpClient, a logical call in a loop", ways::httpClientCallLoop),
                Named.of("HttpClient, Resilience4j, asynchronous", ways::httpClientResilience4jAsync));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void oneRequestWithTwoTimeOutsHasOneEffect(Way way) throws Exception {
        String call = UUID.randomUUID().toString();
        String next = "quick " + UUID.randomUUID().toString();

        assertThat(way.send(call)).isEqualTo("order 1 of " + call);
        assertThat(way.send(next)).isEqualTo("order 1 of " + next);

        assertThat(server.orders(call)).isEqualTo(1);
        assertThat(server.orders(next)).isEqualTo(1);
        assertThat(server.keys(call)).hasSizeGreaterThanOrEqualTo(3);
        assertThat(new HashSet<>(server.keys(call)))
                .singleElement()
                .asString()
                .matches("\"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\"");
        assertThat(new HashSet<>(server.keys(next))).hasSize(1).doesNotContainAnyElementsOf(server.keys(call));
    }
}
