package io.oncegate.spring.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The platform's {@code HttpClient} with keys, and with retries by rules. Each {@code send} is a call of its own; for a loop
 * around it either give the request its key once, by {@link #keyed}, or mark the attempts by {@link LogicalCall}.
 *
 * <p>A body is sent again if its publisher knows its length: bytes, a string or a file. A publisher of one's own that names
 * a length has to be repeatable. With a push promise handler nothing is sent again. The body handler meets the answer that
 * is returned, and before it only such as broke off while being read. Redirects that the wrapped client follows keep the key, to whatever host they lead. Closing is the
 * wrapped client's matter. Thread-safe.
 */
public final class IdempotentHttpClient extends HttpClient {
    private final HttpClient client;
    private final IdempotencyKeys keys;
    private final RetryRules rules;

    /** Keys alone; nothing is sent again. */
    public IdempotentHttpClient(HttpClient client, IdempotencyKeys keys) {
        this(client, keys, RetryRules.none());
    }

    /** Keys, and retries by these rules. */
    public IdempotentHttpClient(HttpClient client, IdempotencyKeys keys, RetryRules rules) {
        this.client = client;
        this.keys = keys;
        this.rules = rules;
    }

    /** The request with a key of its own, kept however often it is sent; unchanged where it has one or gets none. */
    public HttpRequest keyed(HttpRequest request) {
        return getsKey(request) ? withKey(request, IdempotencyKeys.newKey()) : request;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        if (!getsKey(request)) {
            return sendNow(request, handler);
        }
        try (CallKey key = open(request)) {
            return sendNow(withKey(request, key.value()), handler);
        }
    }

    private <T> HttpResponse<T> sendNow(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        if (rules.areOff()) {
            return client.send(request, handler);
        }
        RetrySession session = session(request);
        while (true) {
            Optional<Duration> wait;
            try {
                HttpResponse<Decision<T>> response = client.send(request, new DecidingHandler<>(handler, session));
                wait = response.body().pause();
                if (wait.isEmpty()) {
                    return new DecidedResponse<>(response);
                }
            } catch (IOException e) {
                wait = session.afterFailure();
                if (wait.isEmpty()) {
                    throw e;
                }
            }
            TimeUnit.NANOSECONDS.sleep(wait.get().toNanos());
        }
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return sendAsync(request, handler, null);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
        if (!getsKey(request)) {
            return sendLater(request, handler, pushes, () -> {});
        }
        CallKey key = open(request);
        try {
            return sendLater(withKey(request, key.value()), handler, pushes, key::close);
        } catch (RuntimeException e) {
            key.close();
            throw e;
        }
    }

    /** The end is told before those who wait for the answer: the next request may follow from it. */
    private <T> CompletableFuture<HttpResponse<T>> sendLater(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes, Runnable end) {
        if (pushes == null && !rules.areOff()) {
            return new AsyncSend<>(client, request, handler, session(request), end).start();
        }
        return client.sendAsync(request, handler, pushes).whenComplete((response, failure) -> end.run());
    }

    private RetrySession session(HttpRequest request) {
        boolean sameBody =
                request.bodyPublisher().map(body -> body.contentLength() >= 0).orElse(true);
        return rules.session(sameBody && (hasKey(request) || IdempotencyKeys.isRepeatable(request.method())));
    }

    private boolean getsKey(HttpRequest request) {
        return !hasKey(request) && keys.isFor(request.method(), request.uri());
    }

    private boolean hasKey(HttpRequest request) {
        return request.headers().firstValue(keys.header()).isPresent();
    }

    private static CallKey open(HttpRequest request) {
        return IdempotencyKeys.open(Attempt.current(), request.method(), request.uri(), null);
    }

    private HttpRequest withKey(HttpRequest request, String key) {
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .header(keys.header(), key)
                .build();
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return client.newWebSocketBuilder();
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }
}
