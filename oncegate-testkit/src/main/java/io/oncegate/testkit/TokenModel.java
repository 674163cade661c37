package io.oncegate.testkit;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a token store has to answer, in the plainest way: one list of all tokens. Each rule is a method, so that a broken
 * store can be made by changing one. Not thread-safe.
 */
class TokenModel {
    final List<Row> rows = new ArrayList<>();

    /** A token; unused without an attempt. */
    record Row(TokenRef token, long expiresAt, @Nullable AttemptId attempt) {
        boolean unused() {
            return attempt == null;
        }
    }

    IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull, long now) {
        rows.removeIf(row -> isOver(row, now));
        while (count(token, this::countsToCap) >= cap) {
            if (refuses(whenFull)) {
                return new IssueAnswer.Full();
            }
            rows.remove(first(token, Row::unused));
        }
        long expiresAt = now + ttl.toNanos() / 1_000;
        rows.add(new Row(token, expiresAt, null));
        return new IssueAnswer.Kept(expiresAt);
    }

    boolean consume(TokenRef token, AttemptId attempt, long now) {
        Row row = find(token, now);
        if (row == null || !mayConsume(row, attempt)) {
            return false;
        }
        replace(row, new Row(row.token(), row.expiresAt(), attempt));
        forgetUsed(token);
        return true;
    }

    void forgetUsed(TokenRef token) {
        while (count(token, row -> !row.unused()) > TokenStore.MAX_USED) {
            rows.remove(first(token, row -> !row.unused()));
        }
    }

    boolean giveBack(TokenRef token, AttemptId attempt, long now) {
        Row row = find(token, now);
        if (row == null || !mayGiveBack(row, attempt)) {
            return false;
        }
        replace(row, givenBack(row, now));
        return true;
    }

    boolean isOver(Row row, long now) {
        return row.expiresAt() <= now;
    }

    boolean isSame(Row row, TokenRef asked) {
        return row.token().equals(asked);
    }

    boolean mayConsume(Row row, AttemptId attempt) {
        return row.unused() || attempt.equals(row.attempt());
    }

    boolean mayGiveBack(Row row, AttemptId attempt) {
        return attempt.equals(row.attempt());
    }

    Row givenBack(Row row, long now) {
        return new Row(row.token(), row.expiresAt(), null);
    }

    boolean countsToCap(Row row) {
        return row.unused();
    }

    boolean refuses(WhenFull whenFull) {
        return whenFull == WhenFull.REFUSE;
    }

    Comparator<Row> order() {
        return Comparator.comparingLong(Row::expiresAt);
    }

    final void replace(Row row, Row other) {
        rows.set(rows.indexOf(row), other);
    }

    final long count(TokenRef subject, Predicate<Row> which) {
        return rows.stream()
                .filter(row -> sameSubject(row.token(), subject) && which.test(row))
                .count();
    }

    private Row first(TokenRef subject, Predicate<Row> which) {
        return rows.stream()
                .filter(row -> sameSubject(row.token(), subject) && which.test(row))
                .min(order())
                .orElseThrow();
    }

    private @Nullable Row find(TokenRef token, long now) {
        return rows.stream()
                .filter(row -> isSame(row, token) && !isOver(row, now))
                .findFirst()
                .orElse(null);
    }

    static boolean sameSubject(TokenRef one, TokenRef other) {
        return java.util.Arrays.equals(one.subject(), other.subject());
    }
}
