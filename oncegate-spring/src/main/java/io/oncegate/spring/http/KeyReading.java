package io.oncegate.spring.http;

import io.oncegate.core.token.TokenUse;
import org.jspecify.annotations.Nullable;

/** What a {@link KeySource} says of a request. */
public sealed interface KeyReading {
    /**
     * A usable key. Its text form does not show it.
     *
     * @param value the key
     * @param end is told how the request ends, or null
     * @param token the one-time token whose id the key is, or null: once it has expired its record may answer, and nothing
     *     runs
     */
    record Found(String value, @Nullable ExchangeEnd end, TokenUse.@Nullable Replay token) implements KeyReading {
        /** A key whose end nobody wants to know. */
        public Found(String value) {
            this(value, null, null);
        }

        /** A key that is no token's. */
        public Found(String value, @Nullable ExchangeEnd end) {
            this(value, end, null);
        }

        /** The key of a replay token. */
        public static Found of(TokenUse.Replay token) {
            return new Found(token.key(), null, token);
        }

        @Override
        public String toString() {
            return "Found[" + value.length() + " characters]";
        }
    }

    /** There is no key. */
    record Missing() implements KeyReading {}

    /**
     * A key is there and cannot be used.
     *
     * @param detail what is wrong and what to send instead; never quotes the key
     */
    record Invalid(String detail) implements KeyReading {}

    /**
     * The request is refused.
     *
     * @param problem what it is answered with
     */
    record Refused(HttpProblem problem) implements KeyReading {}

    /**
     * The source has seen to it by itself that this request comes once: it runs, and nothing is recorded or replayed. In
     * same-transaction mode there is a record, of a random key, for the sake of the transaction.
     *
     * @param end is told how the request ends, or null
     * @param value what handlers find as the request's key ({@link KeySource#ATTRIBUTE}), or null
     */
    record Unrecorded(@Nullable ExchangeEnd end, @Nullable String value) implements KeyReading {
        /** A request without a key. */
        public Unrecorded(@Nullable ExchangeEnd end) {
            this(end, null);
        }

        @Override
        public String toString() {
            return "Unrecorded";
        }
    }
}
