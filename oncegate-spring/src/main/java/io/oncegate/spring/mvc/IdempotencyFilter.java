package io.oncegate.spring.mvc;

import io.oncegate.core.Begun;
import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.ProblemCode;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The gate: a request to a protected route runs once for each caller and key, and its repetitions get the first answer.
 * Thread-safe.
 *
 * <p>Order: behind authentication, authorisation by path, rate limits and everything that sets headers of its own (CORS,
 * security, request ids), for those are done anew for each repetition; before everything that reads the body, and before
 * the handlers. To be registered for the dispatcher types REQUEST and ASYNC; it leaves ERROR, FORWARD and INCLUDE alone.
 *
 * <ol>
 *   <li>Caller and key are read: without them the request is refused, and no store is asked.
 *   <li>The body is read, up to a limit, and put before the handlers again as stream, parameters and parts. What the
 *       request means is told from method, path, query and body.
 *   <li>The key is claimed. If it answers already, so does the gate.
 *   <li>The handlers run. Their answer is held back.
 *   <li>The outcome is recorded as the status says, and only then the answer is sent. If it cannot be recorded, the
 *       client is told that instead. A client that has gone away changes nothing.
 * </ol>
 *
 * <p>An asynchronous answer of Spring MVC is recorded when it is complete, and sent at once then: what is held back is not
 * streamed, so endless streams do not belong behind a gate. After an asynchronous time-out nobody knows whether the
 * business still runs, so that is recorded as unknown. In same-transaction mode asynchronous handlers are refused, for the
 * transaction is bound to its thread.
 */
public final class IdempotencyFilter extends OncePerRequestFilter {
    /** The most bytes of a request's body, unless said otherwise. */
    public static final long DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;

    /** How much of a body is held in memory rather than in a temporary file, unless said otherwise. */
    public static final int DEFAULT_MEMORY_THRESHOLD = 256 * 1024;

    /** When to ask again while the store is down, unless said otherwise. */
    public static final Duration DEFAULT_STORE_RETRY_AFTER = Duration.ofSeconds(5);

    private final Oncegate oncegate;
    private final ScopeResolver scopes;
    private final List<IdempotentRoute> routes;
    private final IdempotencyKeyHeader keyHeader;
    private final int unknownCallerStatus;
    private final @Nullable String errorPage;
    private final Duration storeRetryAfter;
    private final RequestReader reader;
    private final int memoryThreshold;

    private IdempotencyFilter(Builder builder) {
        this.oncegate = builder.oncegate;
        this.scopes = builder.scopes;
        this.routes = List.copyOf(builder.routes);
        this.keyHeader = builder.keyHeader;
        this.unknownCallerStatus = builder.unknownCallerStatus;
        this.errorPage = builder.errorPage;
        this.storeRetryAfter = builder.storeRetryAfter;
        this.memoryThreshold = builder.memoryThreshold;
        this.reader = new RequestReader(builder.maxBodyBytes, builder.memoryThreshold);
    }

    /**
     * Begins a filter.
     *
     * @param oncegate the engine and its store
     * @param scopes names the caller of a request
     */
    public static Builder builder(Oncegate oncegate, ScopeResolver scopes) {
        return new Builder(oncegate, scopes);
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            resume(request, response, chain);
            return;
        }
        PathContainer path = ResourcePath.of(request);
        IdempotentRoute route = path == null ? null : routeOf(request.getMethod(), path);
        if (path == null || route == null) {
            chain.doFilter(request, response);
        } else {
            guard(route, ResourcePath.canonical(path), request, response, chain);
        }
    }

    private @Nullable IdempotentRoute routeOf(String method, PathContainer path) {
        for (IdempotentRoute route : routes) {
            if (route.matches(method, path)) {
                return route;
            }
        }
        return null;
    }

    private void guard(
            IdempotentRoute route,
            String path,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws ServletException, IOException {
        Answers answers = new Answers(request, response);
        KeyReading reading = keyHeader.read(Collections.list(request.getHeaders(keyHeader.name())));
        if (reading instanceof KeyReading.Missing && !route.keyRequired()) {
            chain.doFilter(request, response);
            return;
        }
        Scope scope = scopeOf(request);
        if (scope == null) {
            answers.problem(HttpProblem.of(
                            ProblemCode.CALLER_UNKNOWN,
                            "This operation keeps its idempotency keys by caller, and the request names none. Sign in, and"
                                    + " send it again.")
                    .withStatus(unknownCallerStatus));
        } else if (reading instanceof KeyReading.Missing) {
            answers.problem(HttpProblem.of(
                    ProblemCode.KEY_MISSING,
                    "This operation needs the header " + keyHeader.name()
                            + ". Send a new key for each new request, such as a UUID in double quotes, and the same key again"
                            + " with every repetition of it."));
        } else if (reading instanceof KeyReading.Invalid invalid) {
            answers.problem(HttpProblem.of(ProblemCode.KEY_INVALID, invalid.detail()));
        } else {
            read(route, scope, ((KeyReading.Found) reading).value(), path, request, response, chain, answers);
        }
    }

    private @Nullable Scope scopeOf(HttpServletRequest request) {
        try {
            return scopes.resolve(request);
        } catch (InvalidKeyException e) {
            return null;
        }
    }

    private void read(
            IdempotentRoute route,
            Scope scope,
            String key,
            String path,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Answers answers)
            throws ServletException, IOException {
        GatedRequest gated;
        try {
            gated = reader.read(request, path);
        } catch (RefusedBody e) {
            answers.problem(e.problem());
            return;
        }
        boolean handedOver = false;
        try {
            Begun<HttpSnapshot> begun =
                    begin(route, scope, route.namesResources() ? key + " " + path : key, gated, answers);
            if (begun instanceof Begun.Answered<HttpSnapshot> answered) {
                answers.outcome(answered.outcome());
            } else if (begun instanceof Begun.Started<HttpSnapshot> started) {
                GatedResponse held = new GatedResponse(response, memoryThreshold);
                Exchange exchange =
                        new Exchange(route, started.claim(), gated, held, answers, errorPage, storeRetryAfter);
                handedOver = true;
                gated.exchange(exchange);
                run(exchange, gated, held, chain);
            }
        } finally {
            if (!handedOver) {
                gated.body().close();
            }
        }
    }

    private @Nullable Begun<HttpSnapshot> begin(
            IdempotentRoute route, Scope scope, String key, GatedRequest request, Answers answers) throws IOException {
        try {
            return oncegate.begin(route.operation().call(scope, key, request.fingerprint()));
        } catch (InvalidKeyException e) {
            answers.problem(HttpProblem.of(ProblemCode.KEY_INVALID, "The key cannot be used. Send a UUID."));
        } catch (StoreUnavailableException e) {
            answers.problem(HttpProblem.of(e, storeRetryAfter));
        }
        return null;
    }

    private static void run(
            Exchange exchange, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, response);
        } catch (Throwable failure) {
            exchange.failed(failure);
            return;
        }
        if (!request.isAsyncStarted()) {
            exchange.finish();
        }
    }

    /** The handlers go on with a request that was asynchronous: the request and response are those of the first part. */
    private static void resume(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getAttribute(Exchange.ATTRIBUTE) instanceof Exchange exchange) {
            run(exchange, request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    /** Collects what a filter is made of. Not thread-safe. */
    public static final class Builder {
        private final Oncegate oncegate;
        private final ScopeResolver scopes;
        private final List<IdempotentRoute> routes = new ArrayList<>();
        private IdempotencyKeyHeader keyHeader = IdempotencyKeyHeader.lenient();
        private int unknownCallerStatus = ProblemCode.CALLER_UNKNOWN.status();
        private @Nullable String errorPage;
        private Duration storeRetryAfter = DEFAULT_STORE_RETRY_AFTER;
        private long maxBodyBytes = DEFAULT_MAX_BODY_BYTES;
        private int memoryThreshold = DEFAULT_MEMORY_THRESHOLD;

        private Builder(Oncegate oncegate, ScopeResolver scopes) {
            this.oncegate = oncegate;
            this.scopes = scopes;
        }

        /** Adds a protected route; of two that match a request, the one added first counts. */
        public Builder route(IdempotentRoute route) {
            this.routes.add(route);
            return this;
        }

        /** How keys are read. */
        public Builder key(IdempotencyKeyHeader keyHeader) {
            this.keyHeader = keyHeader;
            return this;
        }

        /** The status for requests whose caller is not known: 401, or 403. */
        public Builder unknownCallerStatus(int status) {
            if (status != 401 && status != 403) {
                throw new IllegalArgumentException("an unknown caller is refused with 401 or 403, not " + status);
            }
            this.unknownCallerStatus = status;
            return this;
        }

        /**
         * The path of the page that renders errors which handlers raise by {@code sendError}, such as {@code /error} of
         * Spring Boot, so that what it renders is kept. Without it the gate renders those that are kept, as
         * {@code application/problem+json}, for a page that shows the time would be another answer each time.
         */
        public Builder errorPage(String path) {
            this.errorPage = path;
            return this;
        }

        /** The {@code Retry-After} while the store is down. */
        public Builder storeRetryAfter(Duration storeRetryAfter) {
            this.storeRetryAfter = storeRetryAfter;
            return this;
        }

        /**
         * The most bytes of a request's body; a longer one is refused. It also stands in the place of the container's
         * limits on multipart bodies, which do not see what the gate has read.
         */
        public Builder maxBodyBytes(long maxBodyBytes) {
            if (maxBodyBytes < 0) {
                throw new IllegalArgumentException("the size limit of a body is 0 or more, not " + maxBodyBytes);
            }
            this.maxBodyBytes = maxBodyBytes;
            return this;
        }

        /** How many bytes of a body, of request or answer, are held in memory rather than in a temporary file. */
        public Builder memoryThreshold(int memoryThreshold) {
            if (memoryThreshold < 0) {
                throw new IllegalArgumentException("the memory for a body is 0 or more, not " + memoryThreshold);
            }
            this.memoryThreshold = memoryThreshold;
            return this;
        }

        /**
         * The filter.
         *
         * @throws IllegalArgumentException if there is no route
         */
        public IdempotencyFilter build() {
            if (routes.isEmpty()) {
                throw new IllegalArgumentException(
                        "a gate without routes protects nothing; add IdempotentRoute.post(…)");
            }
            return new IdempotencyFilter(this);
        }
    }
}
