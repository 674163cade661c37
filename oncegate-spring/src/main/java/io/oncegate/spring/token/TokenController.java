package io.oncegate.spring.token;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.mvc.ScopeResolver;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Issues one-time tokens over HTTP, under Spring MVC: {@code POST /api/tokens} with {@code
 * {"purpose":"order.create","mode":"replay"}}, where the mode may be left out, is answered 201 with {@code
 * {"token":"…","expiresAt":"…"}}. It is switched on by being a bean; the property {@code oncegate.tokens.path} sets another
 * path. Put it behind authentication and a rate limit. Thread-safe.
 *
 * <p>Every answer says {@code Cache-Control: no-store}. Errors are {@code application/problem+json}, see {@link
 * io.oncegate.spring.http.ProblemCode}.
 */
@RestController
public final class TokenController {
    /** The path, unless said otherwise. */
    public static final String DEFAULT_PATH = "/api/tokens";

    /** When to ask again while the store is down, unless said otherwise. */
    public static final Duration DEFAULT_STORE_RETRY_AFTER = GateBuilder.DEFAULT_STORE_RETRY_AFTER;

    private final ScopeResolver scopes;
    private final TokenRequests requests;

    /**
     * A controller that answers a request without a caller 401, and asks to try again after {@link
     * #DEFAULT_STORE_RETRY_AFTER} while the store is down.
     *
     * @param tokens issues them
     * @param scopes names the caller, as for the gate that the tokens are used at
     * @param purposes the purposes that anybody may ask for; all others are refused
     */
    public TokenController(OnceTokens tokens, ScopeResolver scopes, Collection<String> purposes) {
        this(tokens, scopes, purposes, 401, DEFAULT_STORE_RETRY_AFTER);
    }

    /**
     * A controller.
     *
     * @param tokens issues them
     * @param scopes names the caller, as for the gate that the tokens are used at
     * @param purposes the purposes that anybody may ask for; all others are refused
     * @param unknownCallerStatus what a request without a caller is answered with, 401 or 403
     * @param storeRetryAfter when to ask again while the store is down
     */
    public TokenController(
            OnceTokens tokens,
            ScopeResolver scopes,
            Collection<String> purposes,
            int unknownCallerStatus,
            Duration storeRetryAfter) {
        this.scopes = scopes;
        this.requests = TokenRequests.of(tokens, purposes, unknownCallerStatus, storeRetryAfter);
    }

    /** Issues a token to the caller. */
    @PostMapping("${oncegate.tokens.path:" + DEFAULT_PATH + "}")
    public ResponseEntity<byte[]> issue(HttpServletRequest request) {
        Scope subject = subjectOf(request);
        try {
            byte[] body = subject == null
                    ? new byte[0]
                    : request.getInputStream().readNBytes(TokenRequests.MAX_BODY_BYTES + 1);
            return requests.answer(subject, request.getContentType(), body);
        } catch (IOException e) {
            return TokenRequests.brokenOff();
        }
    }

    private @Nullable Scope subjectOf(HttpServletRequest request) {
        try {
            return scopes.resolve(request);
        } catch (InvalidKeyException e) {
            return null;
        }
    }
}
