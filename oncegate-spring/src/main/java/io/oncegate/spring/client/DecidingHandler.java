package io.oncegate.spring.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides by status and headers, and for a 409 by its body, so that the caller's handler meets only the last answer. */
record DecidingHandler<T>(BodyHandler<T> handler, RetrySession session) implements BodyHandler<Decision<T>> {
    @Override
    public BodySubscriber<Decision<T>> apply(ResponseInfo info) {
        int status = info.statusCode();
        @Nullable String retryAfter = info.headers().firstValue("Retry-After").orElse(null);
        @Nullable String type = info.headers().firstValue("Content-Type").orElse(null);
        if (session.hasMore() && InProgressProblem.isPossible(status, type)) {
            return new PeekingSubscriber<>(
                    () -> handler.apply(info),
                    problem -> session.afterAnswer(status, retryAfter, InProgressProblem.isIn(problem)));
        }
        Optional<Duration> wait = session.afterAnswer(status, retryAfter, false);
        return wait.isPresent()
                ? BodySubscribers.mapping(BodySubscribers.discarding(), nothing -> Decision.again(wait.get()))
                : BodySubscribers.mapping(handler.apply(info), Decision::answer);
    }
}
