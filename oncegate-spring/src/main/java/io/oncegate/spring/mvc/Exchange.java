package io.oncegate.spring.mvc;

import io.oncegate.core.Claim;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpOperations.UnknownAnswer;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.StatusRules;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final Duration storeRetryAfter;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable String cutOff;

    Exchange(
            IdempotentRoute route,
            Claim<HttpSnapshot> claim,
            GatedRequest request,
            GatedResponse response,
            Answers answers,
            @Nullable String errorPage,
            Duration storeRetryAfter) {
        this.route = route;
        this.claim = claim;
        this.request = request;
        this.response = response;
        this.answers = answers;
        this.errorPage = errorPage;
        this.storeRetryAfter = storeRetryAfter;
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
            Outcome<HttpSnapshot> outcome;
            try {
                outcome = claim.fail(cause);
            } catch (OutcomeNotRecordedException e) {
                answers.problem(HttpProblem.of(e));
                return;
            } catch (StoreUnavailableException e) {
                answers.problem(HttpProblem.of(e, storeRetryAfter));
                return;
            }
            if (isOurs(outcome)) {
                throw passedOn(failure);
            }
            answers.outcome(outcome);
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
        Outcome<HttpSnapshot> outcome;
        try {
            if (cutOff != null) {
                outcome = claim.fail(new UnknownAnswer(cutOff));
            } else {
                outcome = switch (meaning()) {
                    case RELEASE -> released();
                    case UNKNOWN -> claim.fail(new UnknownAnswer("answered with status " + response.getStatus()));
                    case KEEP -> kept();
                };
            }
        } catch (OutcomeNotRecordedException e) {
            answers.problem(HttpProblem.of(e));
            return;
        } catch (StoreUnavailableException e) {
            answers.problem(HttpProblem.of(e, storeRetryAfter)); // the transaction was rolled back
            return;
        }
        if (outcome == null || isOurs(outcome)) {
            send();
        } else {
            answers.outcome(outcome);
        }
    }

    private StatusRules.Meaning meaning() {
        return route.statuses().of(response.getStatus());
    }

    private @Nullable Outcome<HttpSnapshot> released() {
        claim.release();
        return null;
    }

    private Outcome<HttpSnapshot> kept() throws IOException, ServletException {
        if (response.hasError()) {
            renderError();
            if (meaning() != StatusRules.Meaning.KEEP) {
                claim.release();
                return new Outcome.Executed<>(null);
            }
        }
        HttpSnapshot snapshot = snapshot();
        return snapshot.status() >= 400 ? claim.fail(new RefusedAnswer(snapshot)) : claim.succeed(snapshot);
    }

    private HttpSnapshot snapshot() throws IOException {
        int status = response.getStatus();
        if (response.body().size() > route.maxResponseBytes()) {
            return HttpSnapshot.tooLarge(status);
        }
        List<HttpSnapshot.Header> kept = response.headerLines().stream()
                .filter(header -> route.headers().keeps(header.name()))
                .toList();
        return HttpSnapshot.of(status, kept, response.body().bytes());
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
        } else {
            HttpStatus known = HttpStatus.resolve(status);
            String title = known == null ? "Error" : known.getReasonPhrase();
            response.setContentType(HttpProblem.CONTENT_TYPE);
            response.getOutputStream().write(HttpProblem.plainJson(status, title, message));
        }
    }

    /** Whether the answer that the handlers gave is the one to be sent. */
    private static boolean isOurs(Outcome<?> outcome) {
        return outcome instanceof Outcome.Executed
                || outcome instanceof Outcome.Unprotected
                || outcome instanceof Outcome.Failed
                || (outcome instanceof Outcome.Refused<?> refused && !refused.replayed())
                || (outcome instanceof Outcome.Unknown<?> unknown && unknown.cause() != null);
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
