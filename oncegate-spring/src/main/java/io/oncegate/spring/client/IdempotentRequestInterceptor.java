package io.oncegate.spring.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Gives the requests of a {@code RestClient} or {@code RestTemplate} their keys, and sends them again by its rules.
 * Interceptors behind it run for each attempt, those before it once. A retry outside the client needs a {@link
 * LogicalCall} around it, for the client makes a new request each time. Spring buffers the bodies of intercepted requests,
 * so they can all be sent again. Thread-safe.
 */
public final class IdempotentRequestInterceptor implements ClientHttpRequestInterceptor {
    private final IdempotencyKeys keys;
    private final RetryRules rules;

    /** Keys alone; nothing is sent again. */
    public IdempotentRequestInterceptor(IdempotencyKeys keys) {
        this(keys, RetryRules.none());
    }

    /** Keys, and retries by these rules. */
    public IdempotentRequestInterceptor(IdempotencyKeys keys, RetryRules rules) {
        this.keys = keys;
        this.rules = rules;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        String method = request.getMethod().name();
        HttpHeaders headers = request.getHeaders();
        if (headers.containsHeader(keys.header()) || !keys.isFor(method, request.getURI())) {
            boolean repeatable = headers.containsHeader(keys.header()) || IdempotencyKeys.isRepeatable(method);
            return send(rules.session(repeatable), request, body, execution);
        }
        @Nullable Attempt attempt = Attempt.current();
        byte @Nullable [] compared =
                attempt == null ? null : ComparableBody.of(headers.getFirst(HttpHeaders.CONTENT_TYPE), body);
        try (CallKey key = IdempotencyKeys.open(attempt, method, request.getURI(), compared)) {
            headers.set(keys.header(), key.value());
            return send(rules.session(true), request, body, execution);
        }
    }

    private static ClientHttpResponse send(
            RetrySession session, HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        while (true) {
            @Nullable ClientHttpResponse answer = null;
            @Nullable IOException failure = null;
            Optional<Duration> wait;
            try {
                answer = execution.execute(request, body);
                if (session.hasMore()) {
                    answer = PeekedResponse.of(answer);
                }
                wait = afterAnswer(session, answer);
            } catch (IOException e) {
                if (answer != null) {
                    answer.close();
                }
                answer = null;
                failure = e;
                wait = Thread.currentThread().isInterrupted() ? Optional.empty() : session.afterFailure();
            }
            if (wait.isEmpty() || !slept(wait.get())) {
                return ended(answer, failure);
            }
            if (answer != null) {
                answer.close();
            }
        }
    }

    private static ClientHttpResponse ended(@Nullable ClientHttpResponse answer, @Nullable IOException failure)
            throws IOException {
        if (answer == null) {
            throw failure == null ? new IOException("no answer") : failure;
        }
        return answer;
    }

    private static Optional<Duration> afterAnswer(RetrySession session, ClientHttpResponse answer) throws IOException {
        return session.afterAnswer(
                answer.getStatusCode().value(),
                answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER),
                answer instanceof PeekedResponse peeked && peeked.isInProgress());
    }

    /** False if this thread was interrupted; the flag stays set. */
    private static boolean slept(Duration wait) {
        try {
            TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
