package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.GateSettings;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.internal.HttpGate;
import io.oncegate.spring.http.internal.ResourcePath;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.server.PathContainer;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * The gate: a request to a protected route runs once for each caller and key, and its repetitions get the first answer.
 * Thread-safe.
 *
 * <p>Order: behind authentication, authorisation by path, rate limits and everything that sets headers of its own (CORS,
 * security, request ids), for those are done anew for each repetition; before everything that reads the body, and before
 * the handlers.
 *
 * <ol>
 *   <li>Caller and key are read: without them the request is refused, and no store is asked.
 *   <li>The body is read, up to a limit, and put before the handlers again as bytes, form and parts. What the request means
 *       is told from method, path, query and body.
 *   <li>The key is claimed, on the engine's own threads. If it answers already, so does the gate.
 *   <li>The handlers run. Their answer is held back, of a {@code Flux} all of it: endless streams do not belong behind a
 *       gate.
 *   <li>The outcome is recorded as the status says, and only then the answer is sent. An error that means a status that is
 *       kept is rendered by the application's {@code WebExceptionHandler}s and kept; every other one frees the key and is
 *       passed on.
 * </ol>
 *
 * <p>From the claim on a client that hangs up changes nothing: the handlers go on to their end, which is recorded, or to
 * {@link Builder#handlerTimeout}. No event
 * loop waits for a store or a file. An engine in same-transaction mode is refused at its first request, for its transaction
 * does not reach reactive handlers; that request is undone.
 */
public final class IdempotencyWebFilter implements WebFilter {
    /** How long handlers may run, unless said otherwise. */
    public static final Duration DEFAULT_HANDLER_TIMEOUT = Duration.ofMinutes(5);

    private final Oncegate oncegate;
    private final ReactiveScopeResolver scopes;
    private final ReactiveReplayAuthorizer replays;
    private final HttpGate gate;
    private final BodyReader reader;
    private final Duration handlerTimeout;

    private IdempotencyWebFilter(Builder builder, GateSettings settings) {
        this.oncegate = builder.oncegate;
        this.scopes = builder.scopes;
        this.replays = builder.replays;
        this.handlerTimeout = builder.handlerTimeout;
        this.gate = new HttpGate(settings);
        this.reader = new BodyReader(settings.maxBodyBytes(), settings.memoryThreshold());
    }

    /**
     * Begins a filter.
     *
     * @param oncegate the engine and its store, in claimed mode
     * @param scopes names the caller of a request
     */
    public static Builder builder(Oncegate oncegate, ReactiveScopeResolver scopes) {
        return new Builder(oncegate, scopes);
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        IdempotentRoute route = gate.routeOf(exchange.getRequest().getMethod().name(), path);
        if (route == null) {
            return chain.filter(exchange);
        }
        return Mono.defer(() -> scopes.resolve(exchange))
                .onErrorResume(InvalidKeyException.class, e -> Mono.empty())
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(scope -> guard(route, path, scope, exchange, chain));
    }

    private Mono<Void> guard(
            IdempotentRoute route,
            PathContainer path,
            Optional<Scope> scope,
            ServerWebExchange exchange,
            WebFilterChain chain) {
        GuardedExchange guarded =
                new GuardedExchange(gate, reader, route, ResourcePath.canonical(path), scope.orElse(null), exchange);
        return guarded.pass(new Behind(chain, oncegate, replays, handlerTimeout));
    }

    /** What stands behind the gate. */
    record Behind(WebFilterChain chain, Oncegate oncegate, ReactiveReplayAuthorizer replays, Duration handlerTimeout) {}

    /** Collects what a filter is made of. Not thread-safe. */
    public static final class Builder extends GateBuilder<Builder> {
        private final Oncegate oncegate;
        private final ReactiveScopeResolver scopes;
        private ReactiveReplayAuthorizer replays = (exchange, route) -> Mono.just(true);
        private Duration handlerTimeout = DEFAULT_HANDLER_TIMEOUT;

        private Builder(Oncegate oncegate, ReactiveScopeResolver scopes) {
            this.oncegate = oncegate;
            this.scopes = scopes;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /** Who is asked before a stored answer is given; by default everybody who came to the gate may have it. */
        public Builder replays(ReactiveReplayAuthorizer replays) {
            this.replays = replays;
            return this;
        }

        /**
         * How long handlers may run. Then they are cancelled, and because nobody knows what they have done by then, the
         * outcome is recorded as unknown and answered with 503 {@code outcome-unknown}. It bounds what the end of a client
         * does not: handlers that never end.
         */
        public Builder handlerTimeout(Duration handlerTimeout) {
            if (handlerTimeout.isNegative() || handlerTimeout.isZero()) {
                throw new IllegalArgumentException("the time for handlers is more than zero, not " + handlerTimeout);
            }
            this.handlerTimeout = handlerTimeout;
            return this;
        }

        /**
         * The filter.
         *
         * @throws IllegalArgumentException if there is no route, or the engine could not run one's operation
         */
        public IdempotencyWebFilter build() {
            return new IdempotencyWebFilter(this, settings(oncegate));
        }
    }
}
