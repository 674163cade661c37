package io.oncegate.spring.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request of the platform's client asynchronously until it has its last answer. Cancelling it ends the rest. The
 * end is told before those who wait for the answer.
 */
final class AsyncSend<T> {
    private final HttpClient client;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final RetrySession session;
    private final Runnable end;
    private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<?> current;

    AsyncSend(HttpClient client, HttpRequest request, BodyHandler<T> handler, RetrySession session, Runnable end) {
        this.client = client;
        this.request = request;
        this.handler = handler;
        this.session = session;
        this.end = end;
    }

    CompletableFuture<HttpResponse<T>> start() {
        var unused = result.whenComplete((response, failure) -> {
            @Nullable CompletableFuture<?> sending = current;
            end.run();
            if (result.isCancelled() && sending != null) {
                sending.cancel(true);
            }
        });
        send();
        return result;
    }

    private void send() {
        if (result.isDone()) {
            return;
        }
        try {
            CompletableFuture<HttpResponse<Decision<T>>> sending =
                    client.sendAsync(request, new DecidingHandler<>(handler, session));
            current = sending;
            if (result.isCancelled()) {
                sending.cancel(true);
            }
            var unused = sending.whenComplete(this::ended);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void ended(@Nullable HttpResponse<Decision<T>> response, @Nullable Throwable failure) {
        if (response != null) {
            Optional<Duration> wait = response.body().pause();
            if (wait.isPresent()) {
                later(wait.get());
            } else {
                end.run();
                result.complete(new DecidedResponse<>(response));
            }
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        Optional<Duration> wait = cause instanceof IOException ? session.afterFailure() : Optional.empty();
        if (wait.isPresent()) {
            later(wait.get());
        } else {
            fail(cause == null ? new IOException("no answer") : cause);
        }
    }

    private void fail(Throwable failure) {
        end.run();
        result.completeExceptionally(failure);
    }

    private void later(Duration wait) {
        CompletableFuture.delayedExecutor(wait.toNanos(), TimeUnit.NANOSECONDS).execute(this::send);
    }
}
