package io.oncegate.core.token;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import java.time.Duration;

/**
 * Keeps the unused strict tokens of each subject. Thread-safe.
 *
 * <p>For every method:
 *
 * <ul>
 *   <li>Atomic: the whole step, on the one subject. Of two that race, one sees the other's effect.
 *   <li>Clock: only the backend's own. A token whose remaining time is 0 has expired; nothing is kept without an end.
 *   <li>Time: the method returns within the bound that the store is configured with.
 *   <li>Failure: {@link StoreUnavailableException} says that there is no answer. The call may or may not have had its effect.
 *   <li>Loss: a store that has lost its content knows no token, and refuses all of them. So nothing is done twice.
 * </ul>
 *
 * <p>Used tokens are remembered with their attempt until they expire, {@value #MAX_USED} of a subject or more, so that the
 * attempt can be told again that it was the one, and can give its token back. One that is no longer remembered is refused.
 */
public interface TokenStore {
    /** How many used tokens of a subject are remembered at least; the ones that expire first are forgotten first. */
    int MAX_USED = 100;

    /** A short name for messages, such as {@code redis:shop}; no secrets. */
    String name();

    /**
     * Drops what has expired, enforces the cap, and adds the token.
     *
     * <p>A crash afterwards leaves an unused token that nobody has and that expires.
     *
     * @param token one that was never issued before
     * @param ttl how long it may be used, 1 ms or more
     * @param cap how many unused tokens the subject has at most afterwards, 1 or more
     * @param whenFull what happens if it has as many already
     * @throws StoreUnavailableException if there is no answer
     */
    IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull);

    /**
     * Takes the token away, if it is unused, has not expired, and is of this subject and purpose.
     *
     * <p>Who wins: the first to reach the backend; exactly one attempt is told that it consumed the token. The same attempt
     * asked again, after a lost reply, is told the same again while the token lasts. A crash afterwards leaves it burnt.
     *
     * @return whether this attempt is the one that may act on the token
     * @throws StoreUnavailableException if there is no answer
     */
    boolean consume(TokenRef token, AttemptId attempt);

    /**
     * Makes the token unused again, with its old end, if this attempt consumed it and it has not expired. It may be one more
     * than the cap then, until the next one is issued. Sent again after it was done it changes nothing and answers false.
     *
     * @return whether the token is unused again
     * @throws StoreUnavailableException if there is no answer
     */
    boolean giveBack(TokenRef token, AttemptId attempt);

    /** What issuing is answered with. */
    sealed interface IssueAnswer {
        /**
         * The token is kept.
         *
         * @param expiresAt its end in microseconds since 1970, by the store's clock
         */
        record Kept(long expiresAt) implements IssueAnswer {}

        /** The subject has as many unused tokens as the cap allows, and none was to be dropped. */
        record Full() implements IssueAnswer {}
    }
}
