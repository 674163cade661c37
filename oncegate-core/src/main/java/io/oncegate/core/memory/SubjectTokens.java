package io.oncegate.core.memory;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The tokens of one subject, the ones that expire first in front. Not thread-safe. */
final class SubjectTokens {
    private static final Comparator<Kept> BY_END = Comparator.comparingLong(Kept::expiresAt)
            .thenComparing(kept -> kept.token().id());

    private final Map<TokenRef, Kept> all = new HashMap<>();
    private final TreeSet<Kept> unused = new TreeSet<>(BY_END);
    private final TreeSet<Kept> used = new TreeSet<>(BY_END);

    /** A token; unused without an attempt. */
    private record Kept(
            TokenRef token, long expiresAt, @Nullable AttemptId attempt) {}

    int size() {
        return all.size();
    }

    void dropExpired(long now) {
        dropExpired(unused, now);
        dropExpired(used, now);
    }

    private void dropExpired(TreeSet<Kept> tokens, long now) {
        while (!tokens.isEmpty() && tokens.first().expiresAt() <= now) {
            dropFirst(tokens);
        }
    }

    private void dropFirst(TreeSet<Kept> tokens) {
        Kept first = tokens.pollFirst();
        if (first != null) {
            all.remove(first.token());
        }
    }

    /** Whether there is room for one more unused token now. */
    boolean makeRoom(int cap, WhenFull whenFull) {
        if (unused.size() >= cap && whenFull == WhenFull.REFUSE) {
            return false;
        }
        while (unused.size() >= cap) {
            dropFirst(unused);
        }
        return true;
    }

    void add(TokenRef token, long expiresAt) {
        put(new Kept(token, expiresAt, null));
    }

    boolean consume(TokenRef token, AttemptId attempt) {
        Kept kept = all.get(token);
        if (kept == null || kept.attempt() != null) {
            return kept != null && attempt.equals(kept.attempt());
        }
        put(new Kept(token, kept.expiresAt(), attempt));
        while (used.size() > TokenStore.MAX_USED) {
            dropFirst(used);
        }
        return true;
    }

    boolean giveBack(TokenRef token, AttemptId attempt) {
        Kept kept = all.get(token);
        if (kept == null || !attempt.equals(kept.attempt())) {
            return false;
        }
        put(new Kept(token, kept.expiresAt(), null));
        return true;
    }

    private void put(Kept kept) {
        Kept before = all.put(kept.token(), kept);
        if (before != null) {
            (before.attempt() == null ? unused : used).remove(before);
        }
        (kept.attempt() == null ? unused : used).add(kept);
    }
}
