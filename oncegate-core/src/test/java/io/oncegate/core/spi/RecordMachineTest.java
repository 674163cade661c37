package io.oncegate.core.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordMachine.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The promises that hold over whole histories; the single cells are held to the table by the contract in the testkit. */
class RecordMachineTest {
    private static final RecordId ID =
            OperationKey.of("op", Scope.global(), "k").id();
    private static final Fingerprint ONE = Fingerprint.of("one");
    private static final Fingerprint OTHER = Fingerprint.of("other");

    private StoredRecord record;
    private long now = 1_000_000;

    private ClaimAnswer claim(AttemptId attempt, Fingerprint fingerprint, int maxAsks) {
        ClaimRequest request = new ClaimRequest(
                ID, "op", fingerprint, attempt, Duration.ofMillis(10), Duration.ofMillis(50), maxAsks, null);
        Decision<ClaimAnswer> decision = RecordMachine.claim(record, request, now);
        record = decision.record();
        return decision.answer();
    }

    @Test
    @DisplayName(
            "G1, G2, G5, G8: over random histories one holder, rising fences, no change by a stale hand, no silent rerun")
    void promisesHoldOverRandomHistories() {
        for (long seed = 0; seed < 3_000; seed++) {
            record = null;
            now = 1_000_000;
            history(new Random(seed));
        }
    }

    private void history(Random random) {
        List<ClaimRef> claims = new ArrayList<>();
        List<AttemptId> attempts = new ArrayList<>();
        long lastFence = 0;
        for (int step = 0; step < 40; step++) {
            now += random.nextInt(4) == 0 ? random.nextInt(60_000) - 10_000 : random.nextInt(3_000);
            StoredRecord before = record;
            if (claims.isEmpty() || random.nextInt(3) == 0) {
                AttemptId attempt = attempts.isEmpty() || random.nextInt(4) > 0
                        ? AttemptId.random()
                        : attempts.get(random.nextInt(attempts.size()));
                attempts.add(attempt);
                Fingerprint asked = random.nextInt(3) == 0 ? OTHER : ONE;
                ClaimAnswer answer = claim(attempt, asked, random.nextInt(3));
                long fence = fenceOf(answer);
                if (fence == 0) {
                    assertThat(record).isSameAs(before);
                    continue;
                }
                claims.add(new ClaimRef(ID, fence, attempt));
                if (before != null && !before.heldBy(claims.get(claims.size() - 1))) {
                    assertThat(fence).isGreaterThan(lastFence);
                    boolean answers = before.state() != RecordState.FREE && !before.expired(now);
                    if (answers) {
                        assertThat(before.leased(now))
                                .as("G1: nobody else holds it")
                                .isFalse();
                        assertThat(before.state().settled())
                                .as("G8: not settled")
                                .isFalse();
                        assertThat(before.fingerprint())
                                .as("G5: the same request")
                                .isEqualTo(asked);
                    }
                }
                lastFence = Math.max(lastFence, fence);
            } else {
                ClaimRef hand = claims.get(random.nextInt(claims.size()));
                HolderAnswer answer = act(random, hand);
                if (answer != HolderAnswer.DONE) {
                    assertThat(record).as("G2: a refused hand changes nothing").isSameAs(before);
                } else {
                    assertThat(before.heldBy(hand))
                            .as("G2: only the newest claim acts")
                            .isTrue();
                    assertThat(record.fence()).isEqualTo(hand.fence());
                }
            }
        }
    }

    private static long fenceOf(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            return granted.fence();
        }
        return answer instanceof ClaimAnswer.Reconcile reconcile ? reconcile.fence() : 0;
    }

    private HolderAnswer act(Random random, ClaimRef hand) {
        Decision<HolderAnswer> decision = switch (random.nextInt(3)) {
            case 0 -> RecordMachine.renew(record, hand, Duration.ofMillis(10), now);
            case 1 -> RecordMachine.release(record, hand, now);
            default -> RecordMachine.settle(record, hand, settlement(random), now);
        };
        record = decision.record();
        return decision.answer();
    }

    private static Settlement settlement(Random random) {
        RecordState state = RecordState.values()[2 + random.nextInt(3)];
        Payload result = random.nextBoolean() ? Payload.of(new byte[] {(byte) random.nextInt(2)}) : null;
        return new Settlement(state, result, Duration.ofMillis(50), Duration.ofMillis(1 + random.nextInt(50)));
    }

    @Test
    @DisplayName(
            "G12: a sweep takes no running record before its lease is over for a retention, and no unknown one ever")
    void sweepsByTheRule() {
        AttemptId attempt = AttemptId.random();
        long fence = fenceOf(claim(attempt, ONE, 0));
        long margin = 5_000;
        assertThat(RecordMachine.sweep(record, now + 59_999, margin)).isEqualTo(RecordMachine.Sweep.KEEP);
        assertThat(RecordMachine.sweep(record, now + 60_000, margin)).isEqualTo(RecordMachine.Sweep.DELETE);
        assertThat(RecordMachine.sweep(record, now + 60_000, 70_000)).isEqualTo(RecordMachine.Sweep.KEEP);
        ClaimRef hand = new ClaimRef(ID, fence, attempt);
        Settlement unknown = new Settlement(RecordState.UNKNOWN, null, Duration.ofMillis(1), Duration.ofMillis(1));
        StoredRecord unknownRecord =
                RecordMachine.settle(record, hand, unknown, now).record();
        assertThat(unknownRecord).isNotNull();
        assertThat(RecordMachine.sweep(unknownRecord, Long.MAX_VALUE - 1, margin))
                .isEqualTo(RecordMachine.Sweep.KEEP);
        Settlement short1 = new Settlement(
                RecordState.SUCCEEDED, Payload.of(new byte[1]), Duration.ofMillis(50), Duration.ofMillis(10));
        StoredRecord settled = RecordMachine.settle(record, hand, short1, now).record();
        assertThat(settled).isNotNull();
        assertThat(RecordMachine.sweep(settled, now + 9_999, margin)).isEqualTo(RecordMachine.Sweep.KEEP);
        assertThat(RecordMachine.sweep(settled, now + 10_000, margin)).isEqualTo(RecordMachine.Sweep.DROP_RESULT);
        assertThat(RecordMachine.sweep(settled, now + 50_000, margin)).isEqualTo(RecordMachine.Sweep.DELETE);
        StoredRecord free = RecordMachine.release(record, hand, now).record();
        assertThat(free).isNotNull();
        assertThat(RecordMachine.sweep(free, now + margin - 1, margin)).isEqualTo(RecordMachine.Sweep.KEEP);
        assertThat(RecordMachine.sweep(free, now + margin, margin)).isEqualTo(RecordMachine.Sweep.DELETE);
    }

    @Test
    @DisplayName("Birth time: decides only where no record answers, at the limit and beyond the tolerance exactly")
    void birthTimeDecidesOnlyWhereNoRecordAnswers() {
        now = 1_000_000_000_000L;
        Instant born = Instant.ofEpochMilli(now / 1000);
        BirthRule rule = new BirthRule(born, Duration.ofSeconds(10), Duration.ofSeconds(1));
        ClaimRequest request = new ClaimRequest(
                ID, "op", ONE, AttemptId.random(), Duration.ofSeconds(5), Duration.ofSeconds(20), 0, rule);
        assertThat(RecordMachine.claim(null, request, now + 9_999_999).answer())
                .isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(RecordMachine.claim(null, request, now + 10_000_000).answer())
                .isEqualTo(new ClaimAnswer.OutOfTime(false));
        assertThat(RecordMachine.claim(null, request, now - 1_000_000).answer())
                .isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(RecordMachine.claim(null, request, now - 1_000_001).answer())
                .isEqualTo(new ClaimAnswer.OutOfTime(true));
        StoredRecord running = RecordMachine.claim(null, request, now).record();
        ClaimRequest twin = new ClaimRequest(
                ID, "op", ONE, AttemptId.random(), Duration.ofSeconds(5), Duration.ofSeconds(20), 0, rule);
        assertThat(RecordMachine.claim(running, twin, now + 11_000_000).answer())
                .as("takeover of an abandoned claim, although the key is old")
                .isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(RecordMachine.claim(running, twin, now + 25_000_000).answer())
                .isEqualTo(new ClaimAnswer.OutOfTime(false));
    }
}
