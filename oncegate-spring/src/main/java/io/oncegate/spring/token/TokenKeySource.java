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
import java.time.Duration;
import java.util.List;

/**
 * Takes one-time tokens at a gate: from the header {@code Once-Token}, else from the hidden form field
 * {@code _once_token}. A replay token's id is the request's key; a strict token is burnt before the handlers run, and
 * nothing of its request is recorded; its id is what handlers find as the key ({@link KeySource#ATTRIBUTE}), so that what
 * guards the effect behind the gate can know the request again. Thread-safe.
 *
 * <p>Put it before other sources, {@code tokens.or(KeySource.header())}: a request that has a token and a key is the
 * token's, and a strict token is never passed by because of a key beside it.
 */
public final class TokenKeySource implements KeySource {
    /** The header that carries a token. */
    public static final String HEADER = "Once-Token";

    /** The hidden form field that carries a token. */
    public static final String FIELD = "_once_token";

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
     * @param purpose what tokens have to be for, usually the name of the route's operation
     * @param retention how long the route's answers are kept
     */
    public static TokenKeySource of(OnceTokens tokens, String purpose, Duration retention) {
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
        List<String> found = headers.isEmpty() ? request.formFields(FIELD) : headers;
        Scope subject = request.scope();
        if (found.isEmpty() || subject == null) {
            return new KeyReading.Missing(); // a caller who is not known is refused, and burns nothing
        }
        if (found.size() > 1) {
            return refused(TokenRefusal.MALFORMED);
        }
        try {
            return reading(tokens.use(found.get(0).strip(), subject, purpose, retention));
        } catch (StoreUnavailableException e) {
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
