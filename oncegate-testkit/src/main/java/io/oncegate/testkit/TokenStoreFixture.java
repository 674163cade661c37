package io.oncegate.testkit;

import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.UUID;

/** What the subclass of a {@link TokenStoreContract} supplies, and how the tests ask. */
abstract class TokenStoreFixture {
    static final Duration LONG = Duration.ofMinutes(10);
    static final Duration SHORT = Duration.ofMillis(2);
    static final String PURPOSE = "order.create";
    static final int CAP = 5;

    /** The store. The same object, or an equal one, on every call of one test. */
    protected abstract TokenStore store();

    /** A second handle on the same backend, as another process would have it. */
    protected abstract TokenStore twin();

    /** The backend itself. */
    protected abstract StoreBackend backend();

    /** How many tokens of this token's subject the backend keeps, used and unused, as seen past the store. */
    protected abstract long kept(TokenRef token);

    /** What the store can be asked for; a new store has to answer. */
    protected abstract TokenStoreAbilities abilities();

    final TokenStore handle(int number) {
        return number % 2 == 0 ? store() : twin();
    }

    static Scope someone() {
        return Scope.of("subject " + UUID.randomUUID());
    }

    static TokenRef tokenOf(Scope subject) {
        return TokenRef.of(UuidV7.next(), subject, PURPOSE);
    }

    final TokenRef issued(Scope subject) {
        return issued(tokenOf(subject), LONG);
    }

    /** Issues it later than all before it, by the store's clock. */
    final TokenRef issued(TokenRef token, Duration ttl) {
        backend().passTime(Duration.ofNanos(1_000));
        IssueAnswer answer = store().issue(token, ttl, CAP, WhenFull.DROP_OLDEST);
        if (!(answer instanceof IssueAnswer.Kept)) {
            throw new AssertionError("not issued: " + answer);
        }
        return token;
    }

    final boolean consumed(TokenRef token) {
        return twin().consume(token, AttemptId.random());
    }
}
