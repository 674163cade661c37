package io.oncegate.core.memory;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps unused tokens in this process's memory: for tests, and for services that run as one single process. Thread-safe.
 *
 * <ol>
 *   <li>All tokens of a subject are one entry of a map, and each call is one atomic step on that entry.
 *   <li>Each issuing sweeps the next few subjects, so that what has expired goes without anybody asking for it.
 *   <li>At its bound the store sweeps all; if that makes no room, it refuses to issue. It never drops a token of one subject
 *       for another one.
 * </ol>
 *
 * <p>A restart loses all tokens: they are refused.
 */
public final class MemoryTokenStore implements TokenStore {
    /** The most tokens, used and unused, unless said otherwise. */
    public static final long DEFAULT_MAX_TOKENS = 200_000;

    private static final int SWEEP_STEP = 2;

    private final ConcurrentHashMap<ByteBuffer, SubjectTokens> subjects = new ConcurrentHashMap<>();
    private final AtomicLong tokens = new AtomicLong();
    private final ReentrantLock sweeping = new ReentrantLock();
    private final long maxTokens;
    private final TimeSource time;
    private Iterator<ByteBuffer> hand = subjects.keySet().iterator();

    /** A store with the default bound and the system's time. */
    public MemoryTokenStore() {
        this(DEFAULT_MAX_TOKENS, TimeSource.system());
    }

    /**
     * A store.
     *
     * @param maxTokens the most tokens of all subjects, used and unused, 1 or more; issuing at the same instant may go over
     *     it by its number
     * @param time the store's clock; it is the only one that counts
     */
    public MemoryTokenStore(long maxTokens, TimeSource time) {
        if (maxTokens < 1) {
            throw new IllegalArgumentException("a memory store needs room for a token or more, not " + maxTokens);
        }
        this.maxTokens = maxTokens;
        this.time = time;
    }

    @Override
    public String name() {
        return "memory";
    }

    /** How many tokens there are, used and unused, those included that have expired and not gone yet. */
    public long size() {
        return tokens.get();
    }

    @Override
    public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
        if (tokens.get() >= maxTokens) {
            makeRoom();
        }
        IssueAnswer answer = inSubject(token, (mine, now) -> {
            if (!mine.makeRoom(cap, whenFull)) {
                return new IssueAnswer.Full();
            }
            long expiresAt = now + RecordMachine.micros(ttl);
            mine.add(token, expiresAt);
            return new IssueAnswer.Kept(expiresAt);
        });
        sweepSome();
        return answer;
    }

    @Override
    public boolean consume(TokenRef token, AttemptId attempt) {
        return inSubject(token, (mine, now) -> mine.consume(token, attempt));
    }

    @Override
    public boolean giveBack(TokenRef token, AttemptId attempt) {
        return inSubject(token, (mine, now) -> mine.giveBack(token, attempt));
    }

    private interface Step<A> {
        A take(SubjectTokens tokens, long now);
    }

    private static final class Answer<A> {
        @Nullable
        A value;
    }

    /** Takes a step with the subject's tokens, of which those that have expired are gone. */
    private <A> A inSubject(TokenRef token, Step<A> step) {
        Answer<A> answer = new Answer<>();
        subjects.compute(ByteBuffer.wrap(token.subject()), (subject, found) -> {
            SubjectTokens mine = found == null ? new SubjectTokens() : found;
            int before = mine.size();
            long now = time.micros();
            mine.dropExpired(now);
            answer.value = step.take(mine, now);
            tokens.addAndGet(mine.size() - before);
            return mine.size() == 0 ? null : mine;
        });
        if (answer.value == null) {
            throw new IllegalStateException("a step on tokens gave no answer");
        }
        return answer.value;
    }

    private void sweep(ByteBuffer subject) {
        subjects.computeIfPresent(subject, (same, mine) -> {
            int before = mine.size();
            mine.dropExpired(time.micros());
            tokens.addAndGet(mine.size() - before);
            return mine.size() == 0 ? null : mine;
        });
    }

    /** Sweeps the next subjects of an endless round: more than an issuing adds. */
    private void sweepSome() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            for (int i = 0; i < SWEEP_STEP; i++) {
                if (!hand.hasNext()) {
                    hand = subjects.keySet().iterator();
                    return;
                }
                sweep(hand.next());
            }
        } finally {
            sweeping.unlock();
        }
    }

    private void makeRoom() {
        sweeping.lock();
        try {
            if (tokens.get() < maxTokens) {
                return;
            }
            subjects.keySet().forEach(this::sweep);
            if (tokens.get() >= maxTokens) {
                throw new StoreUnavailableException(
                        name(),
                        "full with " + maxTokens
                                + " tokens that have not expired; allow more, shorten their time, lower the cap, or use"
                                + " Redis or a database",
                        null);
            }
        } finally {
            sweeping.unlock();
        }
    }
}
