package io.oncegate.testkit;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import io.oncegate.testkit.RecordRow.Question;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One random history over a few keys, each answer checked against a {@link RecordOracle}. The seed says all of it. */
final class RecordHistory {
    private static final int KEYS = 3;
    private static final int STEPS = 60;
    private static final long INVENTED_FENCE = 1_000_000;
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toMicros(60);
    private static final List<Duration> TIMES =
            List.of(Duration.ofMillis(1), Duration.ofMillis(3), Duration.ofMillis(15), Asking.LONG);
    private static final List<Integer> ASKS = List.of(0, 0, 0, 1, 2, Integer.MAX_VALUE);
    private static final List<Fingerprint> FINGERPRINTS =
            List.of(Asking.PAYLOAD, Asking.PAYLOAD, Asking.OTHER_PAYLOAD, Fingerprint.none());

    private final Random random;
    private final RecordStoreFixture fixture;
    private final Map<RecordRow, Set<Question>> visited;
    private final List<Key> keys = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private long from;

    /** A key and what is known of it. */
    private static final class Key {
        private final Asking asking = Asking.forNewKey();
        private final RecordOracle oracle = new RecordOracle();
        private final List<AttemptId> attempts = new ArrayList<>();
        private final List<ClaimRef> claims = new ArrayList<>();
        private Fingerprint lastAsked = Asking.PAYLOAD;

        /** The newest claim, or an invented one before the first. */
        private ClaimRef newest() {
            return claims.isEmpty()
                    ? new ClaimRef(asking.id(), INVENTED_FENCE, attempts.get(0))
                    : claims.get(claims.size() - 1);
        }
    }

    RecordHistory(long seed, RecordStoreFixture fixture, Map<RecordRow, Set<Question>> visited) {
        this.random = new Random(seed);
        this.fixture = fixture;
        this.visited = visited;
        for (int i = 0; i < KEYS; i++) {
            Key key = new Key();
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
            RecordStore handle = random.nextBoolean() ? fixture.store() : fixture.twin();
            int dice = random.nextInt(100);
            if (dice < 36) {
                claim(key, handle);
            } else if (dice < 52) {
                settle(key, handle);
            } else if (dice < 61) {
                renew(key, handle);
            } else if (dice < 70) {
                release(key, handle);
            } else if (dice < 92) {
                pass(key);
            } else if (dice < 96) {
                forget(key);
            } else {
                purge();
            }
        }
    }

    private void claim(Key key, RecordStore handle) {
        ClaimRequest request = new ClaimRequest(
                key.asking.id(),
                Asking.OPERATION,
                pick(FINGERPRINTS),
                random.nextInt(4) == 0 ? AttemptId.random() : pick(key.attempts),
                pick(TIMES),
                pick(TIMES),
                pick(ASKS),
                birth());
        StoredRecord before = key.oracle.record();
        boolean same = request.fingerprint()
                .equals(before == null || before.state() == RecordState.FREE ? key.lastAsked : before.fingerprint());
        ClaimAnswer answer = handle.claim(request);
        long to = fixture.backend().storeTimeMicros();
        visit(key, same ? Question.CLAIM_SAME : Question.CLAIM_OTHER, to);
        check(key, "claim " + describe(request), answer, to, key.oracle.claim(request, answer, from, to));
        if (answer instanceof ClaimAnswer.Granted granted) {
            key.claims.add(new ClaimRef(request.id(), granted.fence(), request.attempt()));
            key.lastAsked = request.fingerprint();
        } else if (answer instanceof ClaimAnswer.Reconcile reconcile) {
            key.claims.add(new ClaimRef(request.id(), reconcile.fence(), request.attempt()));
        }
    }

    private @Nullable BirthRule birth() {
        int age = random.nextInt(8);
        if (age > 2) {
            return null;
        }
        Instant now = Instant.EPOCH.plus(from, ChronoUnit.MICROS);
        Duration tolerance = Duration.ofSeconds(20);
        return switch (age) {
            case 0 -> new BirthRule(now.minusSeconds(120), Duration.ofSeconds(60), tolerance);
            case 1 -> new BirthRule(now.plusSeconds(60), Duration.ofSeconds(60), tolerance);
            default -> new BirthRule(now.minusSeconds(5), Duration.ofSeconds(60), tolerance);
        };
    }

    private void settle(Key key, RecordStore handle) {
        ClaimRef claim = someClaim(key);
        Duration retention = pick(TIMES);
        Duration resultRetention = random.nextBoolean() ? retention : retention.dividedBy(4);
        RecordState state =
                pick(List.of(RecordState.SUCCEEDED, RecordState.SUCCEEDED, RecordState.REFUSED, RecordState.UNKNOWN));
        Payload result = random.nextInt(3) == 0 ? null : Settling.payload("result " + random.nextInt(2));
        Settlement settlement = state == RecordState.UNKNOWN
                ? Settlement.unknown(retention, random.nextBoolean() ? Duration.ZERO : resultRetention)
                : new Settlement(state, result, retention, resultRetention);
        HolderAnswer answer = handle.settle(claim, settlement);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, claim) ? Question.SETTLE_BY_HOLDER : Question.SETTLE_BY_ANOTHER, to);
        check(
                key,
                "settle " + describe(claim) + " " + settlement,
                answer,
                to,
                key.oracle.settle(claim, settlement, answer, from, to));
    }

    private void renew(Key key, RecordStore handle) {
        ClaimRef claim = someClaim(key);
        Duration lease = pick(TIMES);
        HolderAnswer answer = handle.renew(claim, lease);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, claim) ? Question.RENEW_BY_HOLDER : Question.RENEW_BY_ANOTHER, to);
        check(
                key,
                "renew " + describe(claim) + " " + lease,
                answer,
                to,
                key.oracle.renew(claim, lease, answer, from, to));
    }

    private void release(Key key, RecordStore handle) {
        ClaimRef claim = someClaim(key);
        HolderAnswer answer = handle.release(claim);
        long to = fixture.backend().storeTimeMicros();
        visit(key, byHolder(key, claim) ? Question.RELEASE_BY_HOLDER : Question.RELEASE_BY_ANOTHER, to);
        check(key, "release " + describe(claim), answer, to, key.oracle.release(claim, answer, from, to));
    }

    private void forget(Key key) {
        if (!fixture.abilities().browses()) {
            return;
        }
        ForgetAnswer answer = fixture.browser().forget(key.asking.id());
        long to = fixture.backend().storeTimeMicros();
        check(key, "forget", answer, to, key.oracle.forget(answer, from, to));
    }

    private void purge() {
        if (!fixture.abilities().purges()) {
            return;
        }
        long begun = from;
        Sweeping.untilNothingIsDue(fixture.purger());
        long to = fixture.backend().storeTimeMicros();
        long margin = RecordMachine.micros(fixture.abilities().sweepMargin());
        for (Key key : keys) {
            Boolean stays = key.oracle.sweep(margin, begun, to);
            if (stays != null && fixture.abilities().browses()) {
                boolean there = fixture.browser().find(key.asking.id()).isPresent();
                check(key, "purge", there ? "there" : "gone", to, there == stays);
            }
        }
        from = to;
    }

    private void pass(Key key) {
        long next = key.oracle.nextChange(from) - from;
        long micros =
                random.nextInt(3) == 0 || next <= 0 || next > LONGEST_PAUSE ? 1_000 + random.nextInt(2_000) : next + 1;
        fixture.backend().passTime(RecordMachine.micros(micros));
        from = fixture.backend().storeTimeMicros();
        trace.add("pass " + micros + " us");
    }

    /** Mostly the newest claim; else an older one, or one that differs from it in fence or attempt alone. */
    private ClaimRef someClaim(Key key) {
        int dice = random.nextInt(10);
        ClaimRef newest = key.newest();
        return switch (dice) {
            case 0 -> new ClaimRef(newest.id(), newest.fence() - 1, newest.attempt());
            case 1 -> new ClaimRef(newest.id(), newest.fence() + 1, newest.attempt());
            case 2 -> new ClaimRef(newest.id(), newest.fence(), AttemptId.random());
            case 3 -> key.claims.isEmpty() ? newest : pick(key.claims);
            default -> newest;
        };
    }

    private static boolean byHolder(Key key, ClaimRef claim) {
        StoredRecord record = key.oracle.record();
        return record == null ? claim.equals(key.newest()) : record.heldBy(claim);
    }

    private void visit(Key key, Question question, long to) {
        RecordRow row = key.oracle.row(from, to);
        if (row != null) {
            Set<Question> questions = visited.get(row);
            if (questions != null) {
                questions.add(question);
            }
        }
    }

    private void check(Key key, String asked, Object answer, long to, boolean right) {
        String line =
                "key " + keys.indexOf(key) + " at " + from + "+" + (to - from) + " us: " + asked + " -> " + answer;
        trace.add(line);
        if (!right) {
            throw new AssertionError("wrong answer\n  " + line + "\n  to the record, before: " + key.oracle.record());
        }
        from = to;
    }

    private static String describe(ClaimRequest request) {
        return "by " + Long.toHexString(request.attempt().low()) + " for "
                + (request.fingerprint().equals(Asking.PAYLOAD) ? "payload" : request.fingerprint())
                + " lease " + request.lease() + " retention " + request.retention()
                + (request.maxAsks() == 0 ? "" : " reconciling up to " + request.maxAsks())
                + (request.birth() == null ? "" : " " + request.birth());
    }

    private static String describe(ClaimRef claim) {
        return "by " + Long.toHexString(claim.attempt().low()) + " with " + claim.fence();
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
