package io.oncegate.core.token;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Issues one-time tokens and accepts them. Each token is bound to a subject and a purpose, signed, and expires. Immutable
 * and thread-safe.
 *
 * <p>Malformed, forged and other subjects' tokens are refused without asking any store, and change nothing for the good
 * one. Consume first: a strict token is burnt before the business begins, and a crash afterwards leaves it burnt. It is
 * given back after a failure only where {@link Builder#giveBackOnFailure} says so, and only by the use that consumed it.
 */
public final class OnceTokens {
    /** How long a token may be used for the first time, unless said otherwise. */
    public static final Duration DEFAULT_TTL = Duration.ofMinutes(10);

    /** The longest time that a token may have. */
    public static final Duration MAX_TTL = Duration.ofDays(1);

    /** How many unused strict tokens a subject has at most, unless said otherwise. */
    public static final int DEFAULT_CAP = 100;

    /** The highest cap. */
    public static final int MAX_CAP = 10_000;

    /** How far the clocks of nodes and stores may be apart, unless said otherwise. */
    public static final Duration DEFAULT_CLOCK_TOLERANCE = Duration.ofMinutes(5);

    private final TokenSecret current;
    private final Map<Integer, TokenSecret> secrets;
    private final @Nullable TokenStore store;
    private final Duration ttl;
    private final int cap;
    private final WhenFull whenFull;
    private final boolean givesAllBack;
    private final Set<String> givenBack;
    private final Duration clockTolerance;
    private final InstantSource clock;

    private OnceTokens(Builder builder) {
        this.current = builder.current;
        this.secrets = Map.copyOf(builder.secrets);
        this.store = builder.store;
        this.ttl = builder.ttl;
        this.cap = builder.cap;
        this.whenFull = builder.whenFull;
        this.givesAllBack = builder.givesAllBack;
        this.givenBack = Set.copyOf(builder.givenBack);
        this.clockTolerance = builder.clockTolerance;
        this.clock = builder.clock;
    }

    /** Begins a service that signs with this secret. */
    public static Builder signedWith(TokenSecret current) {
        return new Builder(current);
    }

    /** The modes that can be issued: strict ones only with a store. */
    public Set<TokenMode> modes() {
        return store == null ? EnumSet.of(TokenMode.REPLAY) : EnumSet.allOf(TokenMode.class);
    }

    /**
     * Issues a token.
     *
     * @param subject who alone may use it
     * @param purpose what alone it may be used for, such as an operation's name
     * @throws IllegalArgumentException if the purpose is blank or no valid Unicode
     * @throws IllegalStateException if the mode is strict and there is no store
     * @throws StoreUnavailableException if the mode is strict and the store does not answer
     */
    public TokenIssue issue(Scope subject, String purpose, TokenMode mode) {
        requirePurpose(purpose);
        Instant now = clock.instant();
        UUID id = UuidV7.at(now);
        long expiresAt = now.toEpochMilli() + ttl.toMillis();
        if (mode == TokenMode.STRICT) {
            if (store == null) {
                throw new IllegalStateException(
                        "strict tokens need a store; give OnceTokens a TokenStore, or issue" + " replay tokens");
            }
            IssueAnswer answer = store.issue(TokenRef.of(id, subject, purpose), ttl, cap, whenFull);
            if (answer instanceof IssueAnswer.Kept kept) {
                expiresAt = kept.expiresAt() / 1000;
            } else {
                return new TokenIssue.Full(cap);
            }
        }
        String text =
                TokenText.write(new TokenText.Content(current.id(), mode, expiresAt, id), current, subject, purpose);
        return new TokenIssue.Issued(text, Instant.ofEpochMilli(expiresAt));
    }

    /**
     * Checks a token and, if it is a strict one, consumes it.
     *
     * @param text as the caller sent it
     * @param subject who sent it
     * @param purpose what it is used for
     * @param retention how long records of the operation answer: a replay token that expired longer ago is refused at once
     * @throws StoreUnavailableException if the store of strict tokens does not answer; the token may be burnt
     */
    public TokenUse use(String text, Scope subject, String purpose, Duration retention) {
        byte[] bytes = TokenText.bytes(text);
        TokenText.Content token = bytes == null ? null : TokenText.read(bytes);
        if (bytes == null || token == null) {
            return new TokenUse.Refused(TokenRefusal.MALFORMED);
        }
        TokenSecret secret = secrets.get(token.secret());
        if (secret == null || !TokenText.isSigned(bytes, secret, subject, purpose)) {
            return new TokenUse.Refused(TokenRefusal.FOREIGN);
        }
        Instant expiresAt = Instant.ofEpochMilli(token.expiresAtMillis());
        Instant end = expiresAt.plus(clockTolerance);
        if (token.mode() == TokenMode.REPLAY) {
            Instant bornAt = Instant.ofEpochMilli(token.bornAtMillis());
            return isOver(end.plus(retention))
                    ? new TokenUse.Refused(TokenRefusal.EXPIRED)
                    : new TokenUse.Replay(
                            token.id().toString(), bornAt, Duration.between(bornAt, expiresAt), clockTolerance);
        }
        // The store's clock decides; this one only spares it those that are over by any clock.
        if (isOver(end)) {
            return new TokenUse.Refused(TokenRefusal.EXPIRED);
        }
        TokenRef ref = TokenRef.of(token.id(), subject, purpose);
        AttemptId attempt = AttemptId.random();
        if (store != null && consume(store, ref, attempt)) {
            return new TokenUse.Consumed(ref, attempt);
        }
        return new TokenUse.Refused(isOver(expiresAt) ? TokenRefusal.EXPIRED : TokenRefusal.USED);
    }

    private boolean isOver(Instant end) {
        return !clock.instant().isBefore(end);
    }

    /** A reply that was lost is asked for once more: the attempt knows itself again. */
    private static boolean consume(TokenStore store, TokenRef token, AttemptId attempt) {
        try {
            return store.consume(token, attempt);
        } catch (StoreUnavailableException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return store.consume(token, attempt);
        }
    }

    /**
     * Gives a consumed token back after its business has failed with nothing done, where that is configured for the purpose.
     * To be called by the use that consumed it, once; anybody else changes nothing.
     *
     * @return whether it can be used again
     * @throws StoreUnavailableException if there is no answer; the token may stay burnt
     */
    public boolean giveBack(TokenUse.Consumed used, String purpose) {
        return store != null
                && (givesAllBack || givenBack.contains(purpose))
                && store.giveBack(used.token(), used.attempt());
    }

    /**
     * Checks a purpose where it is configured, and not only where a token is issued for it.
     *
     * @throws IllegalArgumentException if the purpose is blank or no valid Unicode
     */
    public static void requirePurpose(String purpose) {
        if (purpose == null
                || purpose.isBlank()
                || !StandardCharsets.UTF_8.newEncoder().canEncode(purpose)) {
            throw new IllegalArgumentException("a token needs a purpose, not blank and valid Unicode, such as the"
                    + " operation's name order.create");
        }
    }

    /** Collects the settings of a token service. Not thread-safe. */
    public static final class Builder {
        private final TokenSecret current;
        private final Map<Integer, TokenSecret> secrets = new HashMap<>();
        private @Nullable TokenStore store;
        private Duration ttl = DEFAULT_TTL;
        private int cap = DEFAULT_CAP;
        private WhenFull whenFull = WhenFull.DROP_OLDEST;
        private boolean givesAllBack;
        private final Set<String> givenBack = new HashSet<>();
        private Duration clockTolerance = DEFAULT_CLOCK_TOLERANCE;
        private InstantSource clock = InstantSource.system();

        private Builder(TokenSecret current) {
            this.current = current;
            secrets.put(current.id(), current);
        }

        /**
         * Accepts tokens that were signed with this secret too: the former one, until its last token has expired and is no
         * longer replayed, or the next one, before any node signs with it.
         */
        public Builder accepting(TokenSecret other) {
            if (secrets.putIfAbsent(other.id(), other) != null) {
                throw new IllegalArgumentException(
                        "there are two token secrets of number " + other.id() + "; give the newer one another");
            }
            return this;
        }

        /** Where strict tokens are kept; without it there are replay tokens alone. */
        public Builder store(TokenStore store) {
            this.store = store;
            return this;
        }

        /** How long a token may be used for the first time, 1 ms to {@link #MAX_TTL}. */
        public Builder ttl(Duration ttl) {
            if (ttl == null || ttl.compareTo(Duration.ofMillis(1)) < 0 || ttl.compareTo(MAX_TTL) > 0) {
                throw new IllegalArgumentException("a token's time is 1 ms to " + MAX_TTL + ", not " + ttl);
            }
            this.ttl = Duration.ofMillis(ttl.toMillis());
            return this;
        }

        /** How many unused strict tokens a subject has at most, 1 to {@link #MAX_CAP}, and what happens at the next. */
        public Builder cap(int cap, WhenFull whenFull) {
            if (cap < 1 || cap > MAX_CAP) {
                throw new IllegalArgumentException(
                        "the cap of unused tokens for each subject is 1 to " + MAX_CAP + ", not " + cap);
            }
            this.cap = cap;
            this.whenFull = whenFull;
            return this;
        }

        /**
         * Lets {@link OnceTokens#giveBack} give strict tokens back: those of these purposes, or all if none is named. Only
         * for a business whose failure means that nothing has happened.
         */
        public Builder giveBackOnFailure(String... purposes) {
            for (String purpose : purposes) {
                requirePurpose(purpose);
            }
            givesAllBack |= purposes.length == 0;
            givenBack.addAll(List.of(purposes));
            return this;
        }

        /**
         * How far the clocks of nodes and stores may be apart, 0 to 1 hour: a token that looks as if it came from so far in
         * the future is accepted, and one that expired so shortly ago by this node's clock is still shown to the store.
         */
        public Builder clockTolerance(Duration clockTolerance) {
            if (clockTolerance == null
                    || clockTolerance.isNegative()
                    || clockTolerance.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("the clock tolerance is 0 to 1 hour, not " + clockTolerance);
            }
            this.clockTolerance = clockTolerance;
            return this;
        }

        /** This node's clock. */
        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        /** The service. */
        public OnceTokens build() {
            return new OnceTokens(this);
        }
    }
}
