package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.spring.client.ScriptedServer.Answer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** One WebClient request is one call, and what is not clearly a repetition is refused. */
class WebClientSpecTest {
    private final WebClient client = WebClient.builder()
            .clientConnector(new JdkClientHttpConnector())
            .apply(new IdempotentWebClient(IdempotencyKeys.toAnyHost()))
            .build();

    private Mono<String> post(ScriptedServer server) {
        return client.post().uri(server.uri()).bodyValue("{}").retrieve().bodyToMono(String.class);
    }

    @Test
    void aFailedRequestIsRepeatedWithItsKey() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.cut(), Answer.of(500), Answer.of(201))) {
            assertThat(post(server).retryWhen(Retry.max(5)).block()).isEqualTo("status 201");
            assertThat(server.keys()).hasSize(3).containsOnly(server.keys().get(0));
        }
    }

    @Test
    void anAnsweredRequestIsNoTemplateForAnother() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(201))) {
            Mono<String> order = post(server);
            order.block();

            assertThatThrownBy(order::block).isInstanceOf(AmbiguousCallException.class);
            assertThat(server.sent).hasSize(1);
            assertThat(Mono.defer(() -> post(server)).repeat(1).collectList().block())
                    .hasSize(2);
            assertThat(server.keys()).doesNotHaveDuplicates();
        }
    }

    @Test
    void aRequestInFlightIsNotSubscribedToBesideIt() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(201))) {
            Mono<String> order = post(server);

            assertThatThrownBy(() -> Mono.zip(order, order).block()).isInstanceOf(AmbiguousCallException.class);
            assertThat(server.sent.size()).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void aKeyOfTheCallersMayBeSentAsOftenAsHeLikes() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(201))) {
            Mono<String> order = client.post()
                    .uri(server.uri())
                    .header("Idempotency-Key", "\"mine\"")
                    .retrieve()
                    .bodyToMono(String.class);
            order.repeat(2).blockLast();
            assertThat(server.keys()).containsExactly("\"mine\"", "\"mine\"", "\"mine\"");
        }
    }

    @Test
    void callsInAReactorChainDoNotMeet() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Answer.of(503), Answer.of(503), Answer.of(201))) {
            Mono<String> order = ReactiveCalls.keep(
                    Mono.defer(() -> post(server)),
                    attempt -> attempt.retryWhen(Retry.fixedDelay(9, Duration.ofMillis(1))));
            order.block();
            order.block();
            List<String> keys = server.keys();
            assertThat(keys).hasSize(4);
            assertThat(keys.subList(0, 3)).containsOnly(keys.get(0));
            assertThat(keys.get(3)).isNotEqualTo(keys.get(0));
            assertThat(Attempt.current()).isNull();
        }
    }

    @Test
    void theRequestsOfAReactiveAttemptKeepTheirNumbers() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(Answer.of(201), Answer.of(503), Answer.of(201), Answer.of(201))) {
            Flux<String> two = Flux.defer(() -> Flux.concat(post(server), post(server)));
            ReactiveCalls.keep(two, attempt -> attempt.retryWhen(Retry.fixedDelay(3, Duration.ofMillis(1))))
                    .blockLast();
            List<String> keys = server.keys();
            assertThat(keys).hasSize(4);
            assertThat(keys.get(1)).isNotEqualTo(keys.get(0));
            assertThat(keys.subList(2, 4)).isEqualTo(keys.subList(0, 2));
        }
    }
}
