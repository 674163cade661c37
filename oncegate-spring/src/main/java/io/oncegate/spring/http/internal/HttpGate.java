package io.oncegate.spring.http.internal;

import io.oncegate.core.Call;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.TokenRefusal;
import io.oncegate.core.token.TokenUse;
import io.oncegate.spring.http.ExchangeEnd;
import io.oncegate.spring.http.GateSettings;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.ProblemCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** The decisions of the gate that no web framework has a part in. Thread-safe. */
public final class HttpGate {
    /** How far a client's clock may be ahead of the store's, unless the retention is short. */
    private static final Duration MOST_AHEAD = Duration.ofHours(1);

    private final GateSettings settings;

    /** A gate of these settings. */
    public HttpGate(GateSettings settings) {
        this.settings = settings;
    }

    /** The settings. */
    public GateSettings settings() {
        return settings;
    }

    /** The protected route of such a request, or null. */
    public @Nullable IdempotentRoute routeOf(String method, PathContainer path) {
        for (IdempotentRoute route : settings.routes()) {
            if (route.matches(method, path)) {
                return route;
            }
        }
        return null;
    }

    /** Where the keys of a route stand. */
    public KeySource keysOf(IdempotentRoute route) {
        KeySource own = route.key();
        return own == null ? settings.keys() : own;
    }

    /** Whether a request passes unprotected. */
    public static boolean passes(IdempotentRoute route, KeyReading reading) {
        return reading instanceof KeyReading.Missing && !route.keyRequired();
    }

    /** Why a request cannot go on with this caller and key, or null if it can. */
    public @Nullable HttpProblem refusal(IdempotentRoute route, @Nullable Scope scope, @Nullable KeyReading reading) {
        if (scope == null) {
            return HttpProblem.of(
                            ProblemCode.CALLER_UNKNOWN,
                            "This operation keeps its idempotency keys by caller, and the request names none. Sign in, and"
                                    + " send it again.")
                    .withStatus(settings.unknownCallerStatus());
        } else if (reading instanceof KeyReading.Missing) {
            return HttpProblem.of(
                    ProblemCode.KEY_MISSING,
                    "This operation needs " + keysOf(route).description()
                            + ". Send a new key for each new request, such as a UUID, and the same key again with every"
                            + " repetition of it.");
        } else if (reading instanceof KeyReading.Invalid invalid) {
            return HttpProblem.of(ProblemCode.KEY_INVALID, invalid.detail());
        }
        return reading instanceof KeyReading.Refused refused ? refused.problem() : null;
    }

    /** Who wants to know how the request ends. */
    public static OnceEnd endOf(KeyReading reading) {
        ExchangeEnd end = null;
        if (reading instanceof KeyReading.Found found) {
            end = found.end();
        } else if (reading instanceof KeyReading.Unrecorded unrecorded) {
            end = unrecorded.end();
        }
        return new OnceEnd(end);
    }

    /** What handlers are told as the request's key, or null. */
    public static @Nullable String keyOf(KeyReading reading) {
        if (reading instanceof KeyReading.Found found) {
            return found.value();
        }
        return reading instanceof KeyReading.Unrecorded unrecorded ? unrecorded.value() : null;
    }

    /**
     * The call that a request is. Where the route has variables, the resource is part of the scope, but not of a token's:
     * one token is for one request, and for another resource it is refused as used for another request.
     *
     * @throws InvalidKeyException if the key cannot be used
     */
    public static Call<HttpSnapshot> call(
            IdempotentRoute route, Scope scope, KeyReading reading, String path, RequestBody body) {
        Scope whole = route.namesResources() ? ResourcePath.within(scope, path) : scope;
        if (reading instanceof KeyReading.Found found) {
            TokenUse.Replay token = found.token();
            return token == null
                    ? limited(route, route.operation().call(whole, found.value(), body.meaning()))
                    : token.limited(route.operation().call(scope, found.value(), body.meaning()));
        }
        return route.operation().call(whole, UUID.randomUUID().toString(), body.meaning());
    }

    /** After the retention no record tells any more whether a key has run: one that shows its age does not run then. */
    private static Call<HttpSnapshot> limited(IdempotentRoute route, Call<HttpSnapshot> call) {
        Instant bornAt = route.birthTimeCounts() ? call.key().bornAt().orElse(null) : null;
        Duration retention = route.operation().retention();
        Duration quarter = Duration.ofMillis(retention.toMillis() / 4);
        Duration ahead = quarter.compareTo(MOST_AHEAD) < 0 ? quarter : MOST_AHEAD;
        return bornAt == null ? call : call.bornWithin(bornAt, retention.minus(ahead), ahead);
    }

    /** What a call is answered with by its record, as {@link GateAnswer#of(Outcome, List)}. */
    public static GateAnswer answer(Outcome<HttpSnapshot> outcome, KeyReading reading, List<String> accepted) {
        boolean expiredToken = outcome instanceof Outcome.Expired
                && reading instanceof KeyReading.Found found
                && found.token() != null;
        return expiredToken ? GateAnswer.of(HttpProblem.of(TokenRefusal.EXPIRED)) : GateAnswer.of(outcome, accepted);
    }

    /** What a failure of the engine is told as, or null if it is none of those that are expected. */
    public @Nullable HttpProblem problemOf(Throwable failure) {
        if (failure instanceof InvalidKeyException) {
            return HttpProblem.of(ProblemCode.KEY_INVALID, "The key cannot be used. Send a UUID.");
        } else if (failure instanceof StoreUnavailableException e) {
            return HttpProblem.of(e, settings.storeRetryAfter());
        } else if (failure instanceof OutcomeNotRecordedException e) {
            return HttpProblem.of(e);
        }
        return null;
    }

    /** The caller may not see what is stored. */
    public static HttpProblem replayForbidden() {
        return HttpProblem.of(
                ProblemCode.REPLAY_FORBIDDEN,
                "The request with this key came before, and the caller has no right any more to be told what came of it.");
    }
}
