package io.oncegate.core.token;

import io.oncegate.core.Call;
import io.oncegate.core.spi.AttemptId;
import java.time.Duration;
import java.time.Instant;

/** What the use of a token is answered with. */
public sealed interface TokenUse {
    /**
     * A good replay token. Its id is the request's key; whether it was used before, the engine's record says.
     *
     * @param key the value for the operation's key, a UUID of version 7
     * @param bornAt when the token was issued
     * @param limit how long after that it may be used for the first time
     * @param tolerance how far the clock of the issuing node may be ahead of the store's
     */
    record Replay(String key, Instant bornAt, Duration limit, Duration tolerance) implements TokenUse {
        /**
         * The call with this token's time limit: where no record answers and the token has expired by the store's clock, it
         * is refused as expired, and never run. An operation whose retention is too short for the limit narrows it.
         */
        public <T> Call<T> limited(Call<T> call) {
            Duration retention = call.operation().retention();
            Duration early = shorter(tolerance, retention.minusMillis(1).dividedBy(2));
            return call.bornWithin(bornAt, shorter(limit, retention.minus(early)), early);
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }

        /** Does not show the key. */
        @Override
        public String toString() {
            return "Replay[bornAt=" + bornAt + ", limit=" + limit + "]";
        }
    }

    /**
     * A strict token that has just been burnt, by this attempt and by no other.
     *
     * @param token which
     * @param attempt the attempt that consumed it
     */
    record Consumed(TokenRef token, AttemptId attempt) implements TokenUse {}

    /**
     * No business may run for this token.
     *
     * @param reason why
     */
    record Refused(TokenRefusal reason) implements TokenUse {}
}
