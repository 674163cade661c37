package io.oncegate.spring.token;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenRefusal;
import io.oncegate.core.token.TokenUse;
import io.oncegate.spring.http.ExchangeEnd;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeyRequest;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.ProblemCode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one-time tokens at a gate: from the header {@code Once-Token} or the hidden form field {@code _once_token}. A
 * request has one token; the same one may stand in both places. A replay token's id is the request's key; a strict token is
 * burnt before the handlers run, and nothing of its request is recorded; its id is what handlers find as the key
 * ({@link KeySource#ATTRIBUTE}), so that what guards the effect behind the gate can know the request again. Thread-safe.
 *
 * <p>Put it before other sources, {@code tokens.or(KeySource.header())}: a request that has a token and a key is the
 * token's, and a strict token is never passed by because of a key beside it.
 */
public final class TokenKeySource implements KeySource {
    /** The header that carries a token. */
    public static final String HEADER = "Once-Token";

    /** The hidden form field that carries a token. */
    public static final String FIELD = "_once_token";

    private static final Logger LOG = LoggerFactory.getLogger(TokenKeySource.class);

    private final OnceTokens tokens;
    private final String purpose;
    private final Duration retention;
    private final Duration storeRetryAfter;

    private TokenKeySource(OnceTokens tokens, String purpose, Duration retention, Duration storeRetryAfter) {
        this.tokens = tokens;
        this.purpose = purpose;
        this.retention = retention;
        this.storeRetryAfter = storeRetryAfter;
    }

    /**
     * A source.
     *
     * @param tokens checks them
     * @param purpose what tokens have to be for, usually the name of the route's operation; of one route alone, for a
     *     replay token is used once for each operation
     * @param retention how long the route's answers are kept
     * @throws IllegalArgumentException if the purpose is blank or no valid Unicode
     */
    public static TokenKeySource of(OnceTokens tokens, String purpose, Duration retention) {
        OnceTokens.requirePurpose(purpose);
        return new TokenKeySource(tokens, purpose, retention, GateBuilder.DEFAULT_STORE_RETRY_AFTER);
    }

    /** This source with another {@code Retry-After} while the store of strict tokens is down. */
    public TokenKeySource storeRetryAfter(Duration other) {
        return new TokenKeySource(tokens, purpose, retention, other);
    }

    @Override
    public String description() {
        return "a one-time token in the header " + HEADER + " or the form field " + FIELD;
    }

    @Override
    public KeyReading read(KeyRequest request) {
        List<String> headers = request.headers(HEADER);
        List<String> fields = request.formFields(FIELD);
        if (headers.isEmpty() && fields.isEmpty()) {
            return new KeyReading.Missing();
        }
        Scope subject = request.scope();
        if (subject == null) {
            // not missing: on a route whose keys are optional it would pass, and its repetition too
            return new KeyReading.Refused(
                    HttpProblem.of(
                            ProblemCode.CALLER_UNKNOWN,
                            "A one-time token is for its caller alone, and the request names none. Sign in, and send it again."));
        }
        Set<String> found = new HashSet<>(headers);
        found.addAll(fields);
        if (found.size() > 1 || headers.size() > 1 || fields.size() > 1) {
            return refused(TokenRefusal.MALFORMED);
        }
        try {
            return reading(tokens.use(found.iterator().next(), subject, purpose, retention));
        } catch (StoreUnavailableException e) {
            LOG.warn("Refused, for a one-time token cannot be checked: {}", e.getMessage());
            return new KeyReading.Refused(HttpProblem.tokenNotChecked(storeRetryAfter));
        }
    }

    private KeyReading reading(TokenUse use) {
        if (use instanceof TokenUse.Replay replay) {
            return KeyReading.Found.of(replay);
        } else if (use instanceof TokenUse.Consumed consumed) {
            return new KeyReading.Unrecorded(
                    how -> ended(consumed, how), consumed.token().id().toString());
        }
        return refused(((TokenUse.Refused) use).reason());
    }

    /** Gives a token back with which nothing has happened, where that is configured. */
    private void ended(TokenUse.Consumed consumed, ExchangeEnd.How how) {
        if (how == ExchangeEnd.How.FAILED || how == ExchangeEnd.How.NOT_RUN) {
            tokens.giveBack(consumed, purpose);
        }
    }

    private static KeyReading refused(TokenRefusal reason) {
        return new KeyReading.Refused(HttpProblem.of(reason));
    }
}
