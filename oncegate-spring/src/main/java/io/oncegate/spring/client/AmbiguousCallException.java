package io.oncegate.spring.client;

import io.oncegate.core.error.OncegateException;

/**
 * A request was not sent, because it could not be told which logical call it belongs to, and so which key it has to carry.
 * Retrying does not help.
 */
public final class AmbiguousCallException extends OncegateException {
    private static final long serialVersionUID = 1L;

    private AmbiguousCallException(String message) {
        super(message, null, null);
    }

    static AmbiguousCallException twoInFlight(String method) {
        return new AmbiguousCallException(
                "a second " + method + " to the same URI began in one attempt of a logical call"
                        + " while the first was in flight, and which key is whose cannot be told; send one after the other,"
                        + " or set the key of each yourself");
    }

    static AmbiguousCallException otherBody(String method) {
        return new AmbiguousCallException(
                "a " + method + " of a logical call has another body than in the attempt before,"
                        + " so it cannot carry that attempt's key; build the body once, outside the retry, or set the key yourself");
    }

    static AmbiguousCallException subscribedTwice(String method) {
        return new AmbiguousCallException("a " + method + " was subscribed to again while it was in flight, and whether"
                + " that is a repetition cannot be told; build a new request for another call (Mono.defer),"
                + " or set the key yourself");
    }

    static AmbiguousCallException answered(String method) {
        return new AmbiguousCallException("a " + method + " was subscribed to again after it had been answered;"
                + " build a new request for another call (Mono.defer), or set the key yourself");
    }
}
