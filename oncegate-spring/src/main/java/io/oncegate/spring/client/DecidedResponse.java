package io.oncegate.spring.client;

import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The last answer, as the caller asked for it. */
record DecidedResponse<T>(HttpResponse<Decision<T>> response) implements HttpResponse<T> {
    @Override
    public int statusCode() {
        return response.statusCode();
    }

    @Override
    public HttpRequest request() {
        return response.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
        return response.previousResponse().map(DecidedResponse::new);
    }

    @Override
    public HttpHeaders headers() {
        return response.headers();
    }

    @Override
    public @Nullable T body() {
        @Nullable Decision<T> decision = response.body();
        return decision == null ? null : decision.body();
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return response.sslSession();
    }

    @Override
    public URI uri() {
        return response.uri();
    }

    @Override
    public Version version() {
        return response.version();
    }
}
