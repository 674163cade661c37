package io.oncegate.spring.http.internal;

import io.oncegate.core.Claim;
import io.oncegate.core.Outcome;
import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpOperations.ReleasedAnswer;
import io.oncegate.spring.http.HttpOperations.UnknownAnswer;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers' answer means to its record: something to be kept, or a failure. Immutable.
 *
 * @param kept what is recorded as success, or null
 * @param failure what is recorded as a failure otherwise
 */
public record HandlerEnd(
        @Nullable HttpSnapshot kept, @Nullable RuntimeException failure) {
    /** What this answer means on this route. */
    public static HandlerEnd of(IdempotentRoute route, int status, List<HttpSnapshot.Header> lines, BufferedBody body)
            throws IOException {
        return switch (route.statuses().of(status)) {
            case RELEASE -> new HandlerEnd(null, new ReleasedAnswer("answered with status " + status));
            case UNKNOWN -> new HandlerEnd(null, new UnknownAnswer("answered with status " + status));
            case KEEP -> kept(snapshot(route, status, lines, body));
        };
    }

    /** What an answer means that was to be kept and cannot be had any more: it is done, without a result. */
    public static HandlerEnd withoutAnswer(int status) {
        return kept(HttpSnapshot.tooLarge(status));
    }

    private static HandlerEnd kept(HttpSnapshot snapshot) {
        return snapshot.status() >= 400
                ? new HandlerEnd(null, new RefusedAnswer(snapshot))
                : new HandlerEnd(snapshot, null);
    }

    private static HttpSnapshot snapshot(
            IdempotentRoute route, int status, List<HttpSnapshot.Header> lines, BufferedBody body) throws IOException {
        if (body.size() > route.maxResponseBytes()) {
            return HttpSnapshot.tooLarge(status);
        }
        List<HttpSnapshot.Header> headers = lines.stream()
                .filter(header -> route.headers().keeps(header.name()))
                .toList();
        return HttpSnapshot.of(status, headers, body.bytes());
    }

    /** Ends the claim with it. */
    public Outcome<HttpSnapshot> settle(Claim<HttpSnapshot> claim) {
        return failure == null ? claim.succeed(kept) : claim.fail(failure);
    }

    /** Whether the answer that the handlers gave now is the one to be sent, or their failure the one to be passed on. */
    public static boolean isOurs(Outcome<?> outcome) {
        return outcome instanceof Outcome.Executed
                || outcome instanceof Outcome.Unprotected
                || outcome instanceof Outcome.Failed
                || (outcome instanceof Outcome.Refused<?> refused && !refused.replayed())
                || (outcome instanceof Outcome.Unknown<?> unknown && unknown.cause() != null);
    }

    /** How a request ended whose handlers have run. */
    public static How how(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Executed || outcome instanceof Outcome.Unprotected) {
            return How.SUCCEEDED;
        } else if (outcome instanceof Outcome.Refused) {
            return How.REFUSED;
        } else if (outcome instanceof Outcome.Failed<?> failed) {
            // one that ran unprotected has no record that could say that it is unknown
            return failed.failure() instanceof UnknownAnswer ? How.UNKNOWN : How.FAILED;
        }
        return How.UNKNOWN; // nobody knows, or the claim was lost to another request
    }
}
