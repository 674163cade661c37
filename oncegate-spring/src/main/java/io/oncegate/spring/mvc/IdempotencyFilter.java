package io.oncegate.spring.mvc;

import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.GateSettings;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.internal.GateAnswer;
import io.oncegate.spring.http.internal.GateRequest;
import io.oncegate.spring.http.internal.HttpGate;
import io.oncegate.spring.http.internal.OnceEnd;
import io.oncegate.spring.http.internal.RefusedBody;
import io.oncegate.spring.http.internal.RequestBody;
import io.oncegate.spring.http.internal.ResourcePath;
import io.oncegate.spring.http.internal.UnrecordedClaim;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ServletRequestPathUtils;

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
    private final Oncegate oncegate;
    private final ScopeResolver scopes;
    private final ReplayAuthorizer replays;
    private final HttpGate gate;
    private final @Nullable String errorPage;
    private final RequestReader reader;
    private final String passed = IdempotencyFilter.class.getName() + "." + UUID.randomUUID();

    private IdempotencyFilter(Builder builder, GateSettings settings) {
        this.oncegate = builder.oncegate;
        this.scopes = builder.scopes;
        this.replays = builder.replays;
        this.errorPage = builder.errorPage;
        this.gate = new HttpGate(settings);
        this.reader = new RequestReader(settings.maxBodyBytes(), settings.memoryThreshold());
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

    /** Each filter has its own: several, for the routes of several engines, may stand in one chain without names. */
    @Override
    protected String getAlreadyFilteredAttributeName() {
        return passed;
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
        PathContainer path = pathOf(request);
        IdempotentRoute route = path == null ? null : gate.routeOf(request.getMethod(), path);
        if (path == null || route == null) {
            chain.doFilter(request, response);
        } else {
            guard(new Guarded(route, ResourcePath.canonical(path), scopeOf(request)), request, response, chain);
        }
    }

    /** The path as Spring MVC matches it, or null if it has none that could be matched. */
    private static @Nullable PathContainer pathOf(HttpServletRequest request) {
        try {
            return ServletRequestPathUtils.parse(request).pathWithinApplication();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private @Nullable Scope scopeOf(HttpServletRequest request) {
        try {
            return scopes.resolve(request);
        } catch (InvalidKeyException e) {
            return null;
        }
    }

    /** What is known of a request before its key is. */
    private record Guarded(
            IdempotentRoute route, String path, @Nullable Scope scope) {}

    private void guard(Guarded guarded, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Answers answers = new Answers(request, response);
        if (guarded.scope() == null && guarded.route().keyRequired()) {
            answers.problem(Objects.requireNonNull(gate.refusal(guarded.route(), null, null)));
            return;
        }
        KeySource keys = gate.keysOf(guarded.route());
        if (!keys.needsBody()) {
            KeyReading reading = keys.read(asked(request, guarded, null));
            if (HttpGate.passes(guarded.route(), reading)) {
                chain.doFilter(request, response);
            } else if (!refused(guarded, reading, answers)) {
                GatedRequest gated = read(request, guarded, answers);
                if (gated == null) {
                    HttpGate.endOf(reading).ended(How.NOT_RUN);
                } else {
                    claim(guarded, reading, gated, chain, answers);
                }
            }
            return;
        }
        GatedRequest gated = read(request, guarded, answers);
        if (gated == null) {
            return;
        }
        boolean handedOver = false;
        try {
            KeyReading reading = keys.read(asked(request, guarded, gated.read()));
            if (HttpGate.passes(guarded.route(), reading)) {
                handedOver = true;
                pass(gated, response, chain);
            } else if (!refused(guarded, reading, answers)) {
                handedOver = true;
                claim(guarded, reading, gated, chain, answers);
            }
        } finally {
            if (!handedOver) {
                gated.body().close();
            }
        }
    }

    private static GateRequest asked(HttpServletRequest request, Guarded guarded, @Nullable RequestBody body) {
        return new GateRequest(
                guarded.scope(), name -> Collections.list(request.getHeaders(name)), request.getQueryString(), body);
    }

    private boolean refused(Guarded guarded, KeyReading reading, Answers answers) throws IOException {
        HttpProblem problem = gate.refusal(guarded.route(), guarded.scope(), reading);
        if (problem != null) {
            HttpGate.endOf(reading).ended(How.NOT_RUN);
            answers.problem(problem);
        }
        return problem != null;
    }

    /** Reads the body; null if it was refused. */
    private @Nullable GatedRequest read(HttpServletRequest request, Guarded guarded, Answers answers)
            throws IOException {
        try {
            return reader.read(request, guarded.path());
        } catch (RefusedBody e) {
            answers.problem(e.problem());
            return null;
        }
    }

    /** Lets a request pass whose body has been read and that turned out to have no key. */
    private static void pass(GatedRequest gated, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(gated, response);
        } finally {
            if (gated.isAsyncStarted()) {
                gated.getAsyncContext().addListener(new BodyCloser(gated.body()));
            } else {
                gated.body().close();
            }
        }
    }

    private void claim(Guarded guarded, KeyReading reading, GatedRequest gated, FilterChain chain, Answers answers)
            throws ServletException, IOException {
        OnceEnd end = HttpGate.endOf(reading);
        boolean handedOver = false;
        try {
            Begun<HttpSnapshot> begun = begin(guarded, reading, gated, answers);
            if (begun instanceof Begun.Answered<HttpSnapshot> answered) {
                end.ended(How.NOT_RUN);
                answers.send(
                        replays.mayReplay(gated, guarded.route())
                                ? HttpGate.answer(answered.outcome(), reading, answers.accepted())
                                : GateAnswer.of(HttpGate.replayForbidden()));
            } else if (begun instanceof Begun.Started<HttpSnapshot> started) {
                GatedResponse held =
                        new GatedResponse(answers.response(), gate.settings().memoryThreshold());
                Exchange exchange =
                        new Exchange(guarded.route(), started.claim(), gated, held, answers, errorPage, gate, end);
                handedOver = true;
                gated.setAttribute(KeySource.ATTRIBUTE, HttpGate.keyOf(reading));
                gated.exchange(exchange);
                run(exchange, gated, held, chain);
            }
        } finally {
            if (!handedOver) {
                end.ended(How.NOT_RUN);
                gated.body().close();
            }
        }
    }

    private @Nullable Begun<HttpSnapshot> begin(
            Guarded guarded, KeyReading reading, GatedRequest gated, Answers answers) throws IOException {
        try {
            Call<HttpSnapshot> call = HttpGate.call(
                    guarded.route(), Objects.requireNonNull(guarded.scope()), reading, guarded.path(), gated.read());
            // In same-transaction mode the handlers need their transaction; its record is of a key that nobody else
            // has.
            return reading instanceof KeyReading.Unrecorded && !oncegate.inSameTransaction()
                    ? new Begun.Started<>(new UnrecordedClaim(guarded.route(), call.key()))
                    : oncegate.begin(call);
        } catch (InvalidKeyException | StoreUnavailableException | OutcomeNotRecordedException e) {
            answers.problem(Objects.requireNonNull(gate.problemOf(e)));
            return null;
        }
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
    public static final class Builder extends GateBuilder<Builder> {
        private final Oncegate oncegate;
        private final ScopeResolver scopes;
        private ReplayAuthorizer replays = (request, route) -> true;
        private @Nullable String errorPage;

        private Builder(Oncegate oncegate, ScopeResolver scopes) {
            this.oncegate = oncegate;
            this.scopes = scopes;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /** Who is asked before a stored answer is given; by default everybody who came to the gate may have it. */
        public Builder replays(ReplayAuthorizer replays) {
            this.replays = replays;
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

        /**
         * The filter.
         *
         * @throws IllegalArgumentException if there is no route, or the engine could not run one's operation
         */
        public IdempotencyFilter build() {
            return new IdempotencyFilter(this, settings(oncegate));
        }
    }
}
