package io.oncegate.testkit;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.function.Supplier;

/** A token store over a {@link TokenModel}, which may be a broken one. */
final class TokenMutant implements TokenStore {
    /** Which step looks first and acts later, if one is not atomic. */
    enum Gap {
        NONE,
        CONSUME,
        ISSUE
    }

    private final TokenModel model;
    private final Gap gap;
    private final TestClock clock;

    TokenMutant(TokenModel model, Gap gap, TestClock clock) {
        this.model = model;
        this.gap = gap;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "mutant";
    }

    private <A> A atomically(Supplier<A> step) {
        synchronized (model) {
            return step.get();
        }
    }

    @Override
    public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
        if (gap == Gap.ISSUE) {
            boolean room = atomically(() -> model.count(token, TokenModel.Row::unused) < cap);
            Thread.yield();
            return atomically(() -> model.issue(token, ttl, room ? Integer.MAX_VALUE : cap, whenFull, clock.micros()));
        }
        return atomically(() -> model.issue(token, ttl, cap, whenFull, clock.micros()));
    }

    @Override
    public boolean consume(TokenRef token, AttemptId attempt) {
        if (gap == Gap.CONSUME) {
            boolean unused = atomically(() -> model.rows.stream()
                    .anyMatch(row -> row.token().equals(token) && row.unused() && row.expiresAt() > clock.micros()));
            Thread.yield();
            return atomically(() -> model.consume(token, attempt, clock.micros())) || unused;
        }
        return atomically(() -> model.consume(token, attempt, clock.micros()));
    }

    @Override
    public boolean giveBack(TokenRef token, AttemptId attempt) {
        return atomically(() -> model.giveBack(token, attempt, clock.micros()));
    }

    long kept(TokenRef token) {
        return atomically(() -> model.count(token, row -> true));
    }
}
