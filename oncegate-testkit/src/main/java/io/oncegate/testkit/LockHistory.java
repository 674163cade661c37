package io.oncegate.testkit;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.testkit.LockState.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One random history over two locks, each answer checked against a {@link LockOracle}. The seed says all of it. */
final class LockHistory {
    private static final int KEYS = 2;
    private static final int STEPS = 60;
    private static final long INVENTED_FENCE = 1_000_000;
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toMicros(60);
    private static final List<Duration> TIMES =
            List.of(Duration.ofMillis(1), Duration.ofMillis(3), Duration.ofMillis(15), LockAsking.LONG);

    private final Random random;
    private final LockStoreFixture fixture;
    private final Map<LockState, Set<Question>> visited;
    private final List<Key> keys = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private int results;
    private boolean steppedBack;
    private long from;

    /** A lock and what is known of it. */
    private static final class Key {
        private final LockAsking asking = LockAsking.forNewKey();
        private final LockOracle oracle;
        private final List<AttemptId> attempts = new ArrayList<>();
        private final List<ClaimRef> holds = new ArrayList<>();

        private Key(Duration margin) {
            this.oracle = new LockOracle(margin);
        }

        /** The newest acquisition, or an invented one before the first. */
        private ClaimRef newest() {
            return holds.isEmpty()
                    ? new ClaimRef(asking.id(), INVENTED_FENCE, attempts.get(0))
                    : holds.get(holds.size() - 1);
        }
    }

    LockHistory(long seed, LockStoreFixture fixture, Map<LockState, Set<Question>> visited) {
        this.random = new Random(seed);
        this.fixture = fixture;
        this.visited = visited;
        for (int i = 0; i < KEYS; i++) {
            Key key = new Key(fixture.abilities().sweepMargin());
            for (int attempt = 0; attempt < 3; attempt++) {
                key.attempts.add(new AttemptId(random.nextLong(), random.nextLong()));
            }
            keys.add(key);
        }
    }

    /** What has been done and answered, one line a step. */
    List<String> trace() {
        return trace;
    }

    /**
     * Runs it.
     *
     * @throws AssertionError at the first wrong answer
     */
    void run() {
        from = fixture.backend().storeTimeMicros();
        for (int step = 0; step < STEPS; step++) {
            Key key = keys.get(random.nextInt(KEYS));
            LockStore handle = random.nextBoolean() ? fixture.store() : fixture.twin();
            int dice = random.nextInt(100);
            if (dice < 38) {
                acquire(key, handle);
            } else if (dice < 54) {
                end(key, handle);
            } else if (dice < 62) {
                renew(key, handle);
            } else if (dice < 74) {
                pass(key, handle);
            } else if (dice < 94) {
                passTime(key);
            } else if (dice < 97) {
                stepBack();
            } else {
                fixture.sweep();
                at(fixture.backend().storeTimeMicros());
            }
        }
    }

    private LockRequest request(Key key) {
        LockAsking asking = key.asking
                .by(random.nextInt(4) == 0 ? AttemptId.random() : pick(key.attempts))
                .lease(pick(TIMES))
                .window(random.nextBoolean() ? null : pick(TIMES));
        int dice = random.nextInt(6);
        if (dice < 3) {
            asking = dice == 0 ? asking.met(met(key)) : asking.takingResultSince(met(key));
        }
        return (random.nextBoolean() ? asking : asking.waiting()).request();
    }

    private long met(Key key) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> key.newest().fence() + 1;
            case 2 -> key.holds.isEmpty() ? 0 : pick(key.holds).fence();
            default -> key.newest().fence();
        };
    }

    private void acquire(Key key, LockStore handle) {
        LockRequest request = request(key);
        LockRow before = key.oracle.row();
        boolean again = before != null && before.attempt().equals(request.attempt());
        LockAnswer answer = handle.acquire(request);
        long to = fixture.backend().storeTimeMicros();
        visit(key, again ? Question.ACQUIRE_AGAIN : Question.ACQUIRE_ANEW, to);
        if (request.takesResult()) {
            visit(key, Question.TAKE_RESULT, to);
        }
        check(key, "acquire " + describe(request), answer, to, key.oracle.acquire(request, answer, from, to));
        if (answer instanceof LockAnswer.Granted granted) {
            remember(key, request, granted.fence());
        }
    }

    private static void remember(Key key, LockRequest request, long fence) {
        ClaimRef held = new ClaimRef(request.id(), fence, request.attempt());
        if (!held.equals(key.newest())) {
            key.holds.add(held);
        }
    }

    private void renew(Key key, LockStore handle) {
        ClaimRef held = someHold(key);
        Duration lease = pick(TIMES);
        HolderAnswer answer = handle.renew(held, lease);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, held) ? Question.RENEW_BY_HOLDER : Question.RENEW_BY_ANOTHER, to);
        check(
                key,
                "renew " + describe(held) + " " + lease,
                answer,
                to,
                key.oracle.renew(held, lease, answer, from, to));
    }

    private void end(Key key, LockStore handle) {
        ClaimRef held = someHold(key);
        LockEnd end = switch (random.nextInt(4)) {
            case 0 -> LockEnd.released();
            case 1 -> LockEnding.COMPLETED;
            default -> LockEnding.with(LockEnding.payload("result " + results++), pick(TIMES));
        };
        HolderAnswer answer = handle.end(held, end);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, held) ? Question.END_BY_HOLDER : Question.END_BY_ANOTHER, to);
        check(key, "end " + describe(held) + " " + end, answer, to, key.oracle.end(held, end, answer, from, to));
    }

    private void pass(Key key, LockStore handle) {
        ClaimRef held = someHold(key);
        LockRequest next = request(key);
        OptionalLong answer = handle.pass(held, next);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, held) ? Question.PASS_BY_HOLDER : Question.PASS_BY_ANOTHER, to);
        String asked = "pass " + describe(held) + " to " + describe(next);
        check(key, asked, answer, to, key.oracle.pass(held, next, answer, from, to));
        if (answer.isPresent()) {
            remember(key, next, answer.getAsLong());
        }
    }

    private void passTime(Key key) {
        long next = key.oracle.nextChange(from) - from;
        long micros =
                random.nextInt(3) == 0 || next <= 0 || next > LONGEST_PAUSE ? 1_000 + random.nextInt(2_000) : next;
        fixture.backend().passTime(RecordMachine.micros(micros));
        at(fixture.backend().storeTimeMicros());
        trace.add("pass " + micros + " us");
    }

    private void stepBack() {
        // once, and by less than the margin: more is more than a store has to bear
        if (!steppedBack && fixture.backend() instanceof SteppingBackend clock) {
            steppedBack = true;
            clock.stepBack(Duration.ofMillis(1 + random.nextInt(15)));
            from = clock.storeTimeMicros();
            trace.add("step back to " + from);
        }
    }

    /** Mostly the newest; else an older one, or one that differs from it in fence or attempt alone. */
    private ClaimRef someHold(Key key) {
        ClaimRef newest = key.newest();
        return switch (random.nextInt(10)) {
            case 0 -> new ClaimRef(newest.id(), newest.fence() - 1, newest.attempt());
            case 1 -> new ClaimRef(newest.id(), newest.fence() + 1, newest.attempt());
            case 2 -> new ClaimRef(newest.id(), newest.fence(), AttemptId.random());
            case 3 -> key.holds.isEmpty() ? newest : pick(key.holds);
            default -> newest;
        };
    }

    private static boolean byHolder(Key key, ClaimRef held) {
        LockRow row = key.oracle.row();
        return row == null
                ? held.equals(key.newest())
                : row.fence() == held.fence() && row.attempt().equals(held.attempt());
    }

    private void visit(Key key, Question question, long to) {
        LockState state = key.oracle.state(from, to);
        Set<Question> questions = state == null ? null : visited.get(state);
        if (questions != null) {
            questions.add(question);
        }
    }

    private void check(Key key, String asked, Object answer, long to, boolean right) {
        String line =
                "lock " + keys.indexOf(key) + " at " + from + "+" + (to - from) + " us: " + asked + " -> " + answer;
        trace.add(line);
        if (!right) {
            throw new AssertionError("wrong answer\n  " + line + "\n  to the lock, before: " + key.oracle.row());
        }
        at(to);
    }

    private void at(long now) {
        from = now;
        keys.forEach(each -> each.oracle.seen(now));
    }

    private static String describe(LockRequest request) {
        return "by " + Long.toHexString(request.attempt().low()) + " lease " + request.lease() + " window "
                + request.window() + (request.takesResult() ? " taking results since " + request.metFence() : "");
    }

    private static String describe(ClaimRef held) {
        return "by " + Long.toHexString(held.attempt().low()) + " with " + held.fence();
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
