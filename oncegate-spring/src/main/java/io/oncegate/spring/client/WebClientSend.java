package io.oncegate.spring.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sends one request of a {@code WebClient} until it has its last answer. */
final class WebClientSend {
    /** What one sending came to: an answer or a failure, and the wait if it is sent again. */
    private record Sent(
            @Nullable ClientResponse answer, @Nullable Throwable failure, Optional<Duration> pause) {}

    private final ClientRequest request;
    private final ExchangeFunction next;
    private final RetrySession session;
    private final RepeatableBody body;

    WebClientSend(ClientRequest request, ExchangeFunction next, RetrySession session) {
        this.request = request;
        this.next = next;
        this.session = session;
        this.body = new RepeatableBody(request.body());
    }

    Mono<ClientResponse> send() {
        return Mono.defer(() ->
                        next.exchange(ClientRequest.from(request).body(body).build()))
                .flatMap(this::answered)
                .onErrorResume(failure -> Mono.just(failed(failure)))
                .flatMap(this::goOn);
    }

    private Mono<ClientResponse> goOn(Sent sent) {
        if (sent.pause().isPresent()) {
            Mono<Void> released =
                    sent.answer() == null ? Mono.empty() : sent.answer().releaseBody();
            return released.onErrorComplete()
                    .then(Mono.delay(sent.pause().get()))
                    .then(Mono.defer(this::send));
        }
        return sent.answer() == null ? Mono.error(failure(sent)) : Mono.just(sent.answer());
    }

    private static Throwable failure(Sent sent) {
        return sent.failure() == null ? new IOException("no answer") : sent.failure();
    }

    private Sent failed(Throwable failure) {
        boolean passing = failure instanceof WebClientRequestException || failure instanceof IOException;
        return new Sent(null, failure, passing && body.isRepeatable() ? session.afterFailure() : Optional.empty());
    }

    private Mono<Sent> answered(ClientResponse answer) {
        if (!session.hasMore() || !body.isRepeatable()) {
            return Mono.just(new Sent(answer, null, Optional.empty()));
        }
        int status = answer.statusCode().value();
        HttpHeaders headers = answer.headers().asHttpHeaders();
        @Nullable String retryAfter = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (!InProgressProblem.isPossible(status, headers.getFirst(HttpHeaders.CONTENT_TYPE))
                || headers.getContentLength() > InProgressProblem.LONGEST) {
            return Mono.just(new Sent(answer, null, session.afterAnswer(status, retryAfter, false)));
        }
        return bytes(answer).map(problem -> {
            ClientResponse whole = answer.mutate().body(read -> again(problem)).build();
            boolean inProgress = InProgressProblem.isIn(problem);
            return new Sent(whole, null, session.afterAnswer(status, retryAfter, inProgress));
        });
    }

    private static Mono<byte[]> bytes(ClientResponse answer) {
        return DataBufferUtils.join(answer.bodyToFlux(DataBuffer.class), RepeatableBody.LONGEST)
                .map(RepeatableBody::bytes)
                .defaultIfEmpty(new byte[0]);
    }

    private static Flux<DataBuffer> again(byte[] bytes) {
        return Flux.defer(() -> Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(bytes)));
    }
}
