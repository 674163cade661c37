package io.oncegate.spring.mvc;

import io.oncegate.core.Claim;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.HttpOperations.UnknownAnswer;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.spring.http.internal.GateAnswer;
import io.oncegate.spring.http.internal.HandlerEnd;
import io.oncegate.spring.http.internal.HttpGate;
import io.oncegate.spring.http.internal.OnceEnd;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import java.io.IOException;
import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;

/**
 * One request that runs under a claim, from its beginning to the one end that it has: the answer is recorded and then sent,
 * or the failure is. The end may come on another thread than the beginning.
 */
final class Exchange {
    static final String ATTRIBUTE = Exchange.class.getName();

    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

    private final IdempotentRoute route;
    private final Claim<HttpSnapshot> claim;
    private final GatedRequest request;
    private final GatedResponse response;
    private final Answers answers;
    private final @Nullable String errorPage;
    private final HttpGate gate;
    private final OnceEnd end;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable String cutOff;

    Exchange(
            IdempotentRoute route,
            Claim<HttpSnapshot> claim,
            GatedRequest request,
            GatedResponse response,
            Answers answers,
            @Nullable String errorPage,
            HttpGate gate,
            OnceEnd end) {
        this.route = route;
        this.claim = claim;
        this.request = request;
        this.response = response;
        this.answers = answers;
        this.errorPage = errorPage;
        this.gate = gate;
        this.end = end;
    }

    GatedResponse response() {
        return response;
    }

    void requireAsync() {
        if (claim.unwrap(Connection.class) != null) {
            throw new IllegalStateException(
                    "operation " + route.operation().name() + " is in same-transaction mode, whose"
                            + " transaction is bound to this thread; answer synchronously, or use claimed mode");
        }
    }

    AsyncListener listener() {
        return new Ends();
    }

    /** The handlers are through: records the outcome, then answers. */
    void finish() throws IOException, ServletException {
        if (ended.compareAndSet(false, true)) {
            try {
                settle();
            } finally {
                close();
            }
        }
    }

    void finishQuietly() {
        try {
            finish();
        } catch (IOException | ServletException e) {
            LOG.debug("The answer of {} could not be sent", claim.key(), e);
        }
    }

    /** The handlers have failed: records what that means, then passes the failure on. */
    void failed(Throwable failure) throws IOException, ServletException {
        if (!ended.compareAndSet(false, true)) {
            throw passedOn(failure);
        }
        try {
            Throwable cause =
                    failure instanceof ServletException e && e.getRootCause() != null ? e.getRootCause() : failure;
            Outcome<HttpSnapshot> outcome = ended(() -> claim.fail(cause));
            if (outcome == null) {
                return;
            }
            if (HandlerEnd.isOurs(outcome)) {
                throw passedOn(failure);
            }
            answers.send(GateAnswer.of(outcome, answers.accepted()));
        } finally {
            close();
        }
    }

    /** Throws it as what it is. */
    private static RuntimeException passedOn(Throwable failure) throws IOException, ServletException {
        if (failure instanceof IOException e) {
            throw e;
        } else if (failure instanceof ServletException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        } else if (failure instanceof RuntimeException e) {
            throw e;
        }
        throw new ServletException(failure);
    }

    private void settle() throws IOException, ServletException {
        response.flushWriter();
        int status = response.getStatus();
        HandlerEnd handled;
        try {
            handled = cutOff == null ? handled() : new HandlerEnd(null, new UnknownAnswer(cutOff));
        } catch (Throwable failure) {
            // The business has returned all the same: its key is never freed, and never left to the lease.
            if (ended(() -> HandlerEnd.withoutAnswer(status).settle(claim)) != null) {
                throw failure;
            }
            return;
        }
        Outcome<HttpSnapshot> outcome = ended(() -> handled.settle(claim));
        if (outcome == null) {
            return;
        }
        if (HandlerEnd.isOurs(outcome)) {
            send();
        } else {
            answers.send(GateAnswer.of(outcome, answers.accepted()));
        }
    }

    /** Ends the claim and tells the key's source; null if that went wrong and has been answered. */
    private @Nullable Outcome<HttpSnapshot> ended(Supplier<Outcome<HttpSnapshot>> claimEnd) throws IOException {
        Outcome<HttpSnapshot> outcome;
        try {
            outcome = claimEnd.get();
        } catch (OutcomeNotRecordedException | StoreUnavailableException e) {
            // of the second kind is a transaction that was rolled back
            end.ended(e instanceof StoreUnavailableException ? How.FAILED : How.UNKNOWN);
            answers.problem(Objects.requireNonNull(gate.problemOf(e)));
            return null;
        }
        end.ended(HandlerEnd.how(outcome));
        return outcome;
    }

    private HandlerEnd handled() throws IOException, ServletException {
        if (response.hasError() && route.statuses().of(response.getStatus()) == StatusRules.Meaning.KEEP) {
            renderError();
        }
        return HandlerEnd.of(route, response.getStatus(), response.headerLines(), response.body());
    }

    /** Renders what a handler has left to the container, so that there is an answer to be kept. */
    private void renderError() throws IOException, ServletException {
        int status = response.getStatus();
        String message = response.errorMessage();
        response.reopen();
        RequestDispatcher page = errorPage == null ? null : request.getRequestDispatcher(errorPage);
        if (page != null) {
            request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
            request.setAttribute(RequestDispatcher.ERROR_MESSAGE, message == null ? "" : message);
            request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
            page.forward(request, response);
            response.flushWriter();
            if (!response.hasError()) {
                return;
            }
            response.reopen(); // there is no such page, or it has failed
            response.setStatus(status);
        }
        HttpStatus known = HttpStatus.resolve(status);
        String title = known == null ? "Error" : known.getReasonPhrase();
        response.setContentType(HttpProblem.CONTENT_TYPE);
        response.getOutputStream().write(HttpProblem.plainJson(status, title, message));
    }

    private void send() throws IOException {
        for (Cookie cookie : response.cookies()) {
            answers.response().addCookie(cookie);
        }
        int status = response.getStatus();
        answers.begin(status, response.headerLines());
        if (response.hasError()) {
            answers.response().sendError(status, response.errorMessage());
        } else {
            answers.body(status, response.body());
        }
    }

    private void close() {
        end.ended(How.UNKNOWN); // if nobody has told it, something went wrong at the end
        request.removeAttribute(ATTRIBUTE);
        try {
            request.body().close();
            response.body().close();
        } catch (IOException e) {
            LOG.warn("A temporary file could not be removed: {}", e.toString());
        }
    }

    /** Knows when an asynchronous request has been cut off, and makes sure that every one ends. */
    private final class Ends implements AsyncListener {
        @Override
        public void onTimeout(AsyncEvent event) {
            cutOff = "the asynchronous request timed out";
        }

        @Override
        public void onError(AsyncEvent event) {
            cutOff = "the asynchronous request failed";
        }

        @Override
        public void onComplete(AsyncEvent event) {
            finishQuietly();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // the request that starts it adds this listener again
        }
    }
}
