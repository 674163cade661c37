package io.oncegate.spring.client;

import io.oncegate.spring.http.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells the one 409 that passes by itself: the same request is being worked on. */
final class InProgressProblem {
    /** How much of an answer is read to find out. */
    static final int LONGEST = 64 * 1024;

    private static final String TYPE = '"' + ProblemCode.IN_PROGRESS.type() + '"';

    private InProgressProblem() {}

    static boolean isPossible(int status, @Nullable String contentType) {
        return status == ProblemCode.IN_PROGRESS.status()
                && contentType != null
                && contentType.toLowerCase(Locale.ROOT).startsWith("application/problem+json");
    }

    /** Whether a problem's text names the type. Within other JSON strings the quotes would be escaped. */
    static boolean isIn(byte[] problem) {
        return new String(problem, StandardCharsets.UTF_8).contains(TYPE);
    }
}
