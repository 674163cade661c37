package io.oncegate.spring.http;

import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.token.TokenRefusal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the gate itself, as {@code application/problem+json}. Immutable.
 *
 * @param code what happened
 * @param status the answer's status
 * @param detail what happened and what to do; no key, no caller
 * @param retryAfter when to ask again, or null
 * @param members more members: text, numbers, or lists of text
 */
public record HttpProblem(
        ProblemCode code,
        int status,
        String detail,
        @Nullable Duration retryAfter,
        Map<String, Object> members) {
    /** The content type of problems. */
    public static final String CONTENT_TYPE = "application/problem+json";

    private static final Duration SOON = Duration.ofSeconds(1);

    /** A problem with the code's own status. */
    public static HttpProblem of(ProblemCode code, String detail) {
        return new HttpProblem(code, code.status(), detail, null, Map.of());
    }

    /** The problem with another status. */
    public HttpProblem withStatus(int other) {
        return new HttpProblem(code, other, detail, retryAfter, members);
    }

    private HttpProblem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(name, value);
        return new HttpProblem(code, status, detail, retryAfter, more);
    }

    private HttpProblem retry(Duration after) {
        return new HttpProblem(code, status, detail, after, members);
    }

    /** What an outcome without an answer is told as. */
    public static HttpProblem of(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Held<?> held) {
            return of(
                            ProblemCode.IN_PROGRESS,
                            "The first request with this key is still being worked on. Send the same request again, with the"
                                    + " same key, after the time given by Retry-After.")
                    .retry(held.retryAfter());
        } else if (outcome instanceof Outcome.Mismatch<?> mismatch) {
            return of(
                            ProblemCode.PAYLOAD_MISMATCH,
                            "This key came first with a request that differs in: " + String.join(", ", mismatch.parts())
                                    + ". Send a new request with a new key, or the first request unchanged.")
                    .with("different", mismatch.parts());
        } else if (outcome instanceof Outcome.NoResult<?> none) {
            return of(
                            ProblemCode.RESULT_UNAVAILABLE,
                            "The request with this key was done and is not done again, but its answer was not kept. Read the"
                                    + " state of the resource instead.")
                    .with("outcome", none.refused() ? "refused" : "succeeded");
        } else if (outcome instanceof Outcome.Unknown<?> unknown) {
            HttpProblem problem = outcomeUnknown();
            return unknown.retryAfter() == null ? problem : problem.retry(unknown.retryAfter());
        } else if (outcome instanceof Outcome.Expired<?> expired) {
            return of(
                    ProblemCode.KEY_EXPIRED,
                    expired.fromFuture()
                            ? "The key's own time lies in the future. Correct the clock that made it, and send a new key."
                            : "The key is older than the records that are kept, so the request may have been done before."
                                    + " Read the state of the resource before you send the request with a new key.");
        }
        throw new IllegalArgumentException(
                "not a problem: " + outcome.getClass().getSimpleName());
    }

    /** Nobody knows what came of the request. */
    public static HttpProblem outcomeUnknown() {
        return of(
                ProblemCode.OUTCOME_UNKNOWN,
                "It is not known whether the request with this key took effect, so it is not done again. Read the state"
                        + " of the resource, and ask again later with the same key.");
    }

    /** The store cannot be asked; nothing has happened. */
    public static HttpProblem of(StoreUnavailableException ignored, Duration retryAfter) {
        return of(
                        ProblemCode.STORE_UNAVAILABLE,
                        "The request was not carried out, because its key cannot be checked at the moment. Send the same request"
                                + " again, with the same key, after the time given by Retry-After.")
                .retry(retryAfter);
    }

    /** What a one-time token that was not accepted is told as. */
    public static HttpProblem of(TokenRefusal reason) {
        return switch (reason) {
            case MALFORMED ->
                of(
                        ProblemCode.TOKEN_MALFORMED,
                        "What was sent as a one-time token is none. Send a token as it was issued, unchanged.");
            case FOREIGN ->
                of(
                        ProblemCode.TOKEN_REFUSED,
                        "The one-time token was not issued to this caller for this purpose. Ask for a token, and send the"
                                + " request with that one.");
            case EXPIRED ->
                of(
                        ProblemCode.TOKEN_EXPIRED,
                        "The one-time token has expired. Read the state of the resource, ask for a new token, and send the"
                                + " request with that one.");
            case USED ->
                of(
                        ProblemCode.TOKEN_USED,
                        "The one-time token was used before, or is not known any more, so the request was not carried out"
                                + " now. Read the state of the resource before you ask for a new token.");
        };
    }

    /** The store of tokens cannot be asked, and no token was issued. */
    public static HttpProblem tokensNotIssued(Duration retryAfter) {
        return of(
                        ProblemCode.STORE_UNAVAILABLE,
                        "No token was issued, because the store of tokens does not answer. Ask again after the time given by"
                                + " Retry-After.")
                .retry(retryAfter);
    }

    /** The store of tokens cannot be asked, and the request was not carried out. */
    public static HttpProblem tokenNotChecked(Duration retryAfter) {
        return of(
                        ProblemCode.STORE_UNAVAILABLE,
                        "The request was not carried out, because its one-time token cannot be checked at the moment. Send it"
                                + " again after the time given by Retry-After; if the token is refused as used then, ask for a"
                                + " new one.")
                .retry(retryAfter);
    }

    /** The business has run, and its outcome is not recorded. */
    public static HttpProblem of(OutcomeNotRecordedException ignored) {
        return of(
                        ProblemCode.OUTCOME_NOT_RECORDED,
                        "The request was carried out, but its outcome could not be recorded, so it is not told. Send the same"
                                + " request again, with the same key, to learn it.")
                .retry(SOON);
    }

    /** The value of the header {@code Retry-After}: whole seconds, rounded up, 1 or more; null if there is none. */
    public @Nullable Long retryAfterSeconds() {
        return retryAfter == null
                ? null
                : Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
    }

    /** The JSON text, in UTF-8. */
    public byte[] toJson() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("type", code.type());
        all.put("title", code.title());
        all.put("status", status);
        all.put("detail", detail);
        all.put("code", code.code());
        Long seconds = retryAfterSeconds();
        if (seconds != null) {
            all.put("retryAfter", seconds);
        }
        all.putAll(members);
        return ProblemJson.write(all);
    }

    /**
     * The problem of a status alone (type {@code about:blank}), for errors that an application raises by status and leaves
     * to its container to render.
     */
    public static byte[] plainJson(int status, String title, @Nullable String detail) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("type", "about:blank");
        all.put("title", title);
        all.put("status", status);
        if (detail != null && !detail.isEmpty()) {
            all.put("detail", detail);
        }
        return ProblemJson.write(all);
    }

    /** Writes an object of text, numbers and lists of text. */
    private static final class ProblemJson {
        static byte[] write(Map<String, Object> members) {
            StringBuilder out = new StringBuilder(256);
            char separator = '{';
            for (Map.Entry<String, Object> member : members.entrySet()) {
                out.append(separator);
                text(member.getKey(), out);
                out.append(':');
                value(member.getValue(), out);
                separator = ',';
            }
            return out.append('}').toString().getBytes(StandardCharsets.UTF_8);
        }

        private static void value(Object value, StringBuilder out) {
            if (value instanceof Number) {
                out.append(value);
            } else if (value instanceof Collection<?> list) {
                out.append('[');
                String separator = "";
                for (Object element : list) {
                    out.append(separator);
                    text(String.valueOf(element), out);
                    separator = ",";
                }
                out.append(']');
            } else {
                text(String.valueOf(value), out);
            }
        }

        private static void text(String text, StringBuilder out) {
            out.append('"');
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\') {
                    out.append('\\').append(c);
                } else if (c < ' ' || Character.isSurrogate(c)) {
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append(c);
                }
            }
            out.append('"');
        }
    }
}
