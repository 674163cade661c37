package io.oncegate.spring.token;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/** What a request for a token is answered with, whichever web stack it came through. Thread-safe. */
final class TokenRequests {
    /** The most bytes of a body that are read: far more than any right one has. */
    static final int MAX_BODY_BYTES = 4096;

    private static final Set<String> MEMBERS = Set.of("purpose", "mode");

    private final OnceTokens tokens;
    private final Set<String> purposes;
    private final int unknownCallerStatus;
    private final Duration storeRetryAfter;

    private TokenRequests(OnceTokens tokens, Set<String> purposes, int unknownCallerStatus, Duration storeRetryAfter) {
        this.tokens = tokens;
        this.purposes = purposes;
        this.unknownCallerStatus = unknownCallerStatus;
        this.storeRetryAfter = storeRetryAfter;
    }

    static TokenRequests of(
            OnceTokens tokens, Collection<String> purposes, int unknownCallerStatus, Duration storeRetryAfter) {
        if (purposes.isEmpty()) {
            throw new IllegalArgumentException(
                    "a token controller needs a purpose to issue tokens for, such as the operation's name order.create");
        }
        purposes.forEach(OnceTokens::requirePurpose);
        if (unknownCallerStatus != 401 && unknownCallerStatus != 403) {
            throw new IllegalArgumentException(
                    "a request without a caller is answered 401 or 403, not " + unknownCallerStatus);
        }
        return new TokenRequests(tokens, Set.copyOf(purposes), unknownCallerStatus, storeRetryAfter);
    }

    /** The answer to this caller, or to nobody. */
    ResponseEntity<byte[]> answer(@Nullable Scope subject, @Nullable String contentType, byte[] body) {
        if (subject == null) {
            return problem(HttpProblem.of(
                            ProblemCode.CALLER_UNKNOWN,
                            "A token is for its caller alone, and the request names none. Sign in, and send it again.")
                    .withStatus(unknownCallerStatus));
        }
        if (!isJson(contentType) || body.length > MAX_BODY_BYTES) {
            return invalid(
                    "The body is not JSON of content type application/json with at most " + MAX_BODY_BYTES + " bytes.");
        }
        Map<String, String> members;
        try {
            members = FlatJson.read(body);
        } catch (FlatJson.NotFlatException e) {
            return invalid(String.valueOf(e.getMessage()));
        }
        String purpose = members.get("purpose");
        TokenMode mode = mode(members.getOrDefault("mode", "replay"));
        if (!MEMBERS.containsAll(members.keySet())) {
            return invalid("The body has a member that is not known here.");
        } else if (purpose == null || !purposes.contains(purpose)) {
            return invalid("The purpose is missing, or is none that tokens are issued for.");
        } else if (mode == null || !tokens.modes().contains(mode)) {
            return invalid("The mode is none that tokens are issued in here.");
        }
        try {
            return issued(tokens.issue(subject, purpose, mode));
        } catch (StoreUnavailableException e) {
            return problem(HttpProblem.tokensNotIssued(storeRetryAfter));
        }
    }

    /** The answer to a body that could not be read to its end. */
    static ResponseEntity<byte[]> brokenOff() {
        return invalid("The body ended too early, or was malformed on its way.");
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        try {
            MimeType type = MimeTypeUtils.parseMimeType(contentType);
            return type.getType().equals("application")
                    && (type.getSubtype().equals("json") || type.getSubtype().endsWith("+json"))
                    && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
        } catch (InvalidMimeTypeException e) {
            return false;
        }
    }

    private static @Nullable TokenMode mode(String name) {
        for (TokenMode mode : TokenMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(name)) {
                return mode;
            }
        }
        return null;
    }

    private static ResponseEntity<byte[]> issued(TokenIssue issue) {
        if (issue instanceof TokenIssue.Issued issued) {
            // Neither text needs escaping: base64url, and a time.
            String json = "{\"token\":\"" + issued.token() + "\",\"expiresAt\":\"" + issued.expiresAt() + "\"}";
            return ResponseEntity.status(201)
                    .contentType(MediaType.APPLICATION_JSON)
                    .cacheControl(CacheControl.noStore())
                    .body(json.getBytes(StandardCharsets.UTF_8));
        }
        return problem(HttpProblem.of(
                ProblemCode.TOKENS_TOO_MANY,
                "You have as many unused tokens as you may have. Use one, or wait until one has expired."));
    }

    private static ResponseEntity<byte[]> invalid(String what) {
        return problem(HttpProblem.of(
                ProblemCode.TOKEN_REQUEST_INVALID,
                what + " Send {\"purpose\":\"…\",\"mode\":\"replay\"} or \"strict\", with a purpose of this service."));
    }

    private static ResponseEntity<byte[]> problem(HttpProblem problem) {
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.status())
                .header(HttpHeaders.CONTENT_TYPE, HttpProblem.CONTENT_TYPE)
                .cacheControl(CacheControl.noStore());
        Long retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            answer.header(HttpHeaders.RETRY_AFTER, retryAfter.toString());
        }
        return answer.body(problem.toJson());
    }
}
