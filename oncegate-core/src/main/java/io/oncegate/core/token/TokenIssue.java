package io.oncegate.core.token;

import java.time.Instant;

/** What asking for a token is answered with. */
public sealed interface TokenIssue {
    /**
     * A token.
     *
     * @param token its text, for the subject alone: not for logs
     * @param expiresAt until when it may be used for the first time
     */
    record Issued(String token, Instant expiresAt) implements TokenIssue {
        /** Shows the time alone. */
        @Override
        public String toString() {
            return "Issued[expiresAt=" + expiresAt + "]";
        }
    }

    /**
     * The subject has as many unused strict tokens as it may have, and {@link WhenFull#REFUSE} was chosen.
     *
     * @param cap how many that are
     */
    record Full(int cap) implements TokenIssue {}
}
