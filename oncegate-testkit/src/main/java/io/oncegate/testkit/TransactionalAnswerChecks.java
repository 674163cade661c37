package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one transaction after the other is told, and what commit, rollback and savepoint leave behind. */
abstract class TransactionalAnswerChecks extends TransactionalScenes {
    @Test
    void aFreeKeyIsGrantedAndItsRecordAnswersTheNext() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        long before = backend().storeTimeMicros();
        long fence = run(store(), asking, row, Settling.succeeded("first"));
        assertThat(fence).isBetween(before, backend().storeTimeMicros());
        ClaimAnswer replay = Untimed.replay(RecordState.SUCCEEDED, Settling.payload("first"), false);
        assertThat(told(asking)).isEqualTo(replay);
        assertThat(told(store(), asking.anew())).isEqualTo(replay);
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    @Test
    void theAttemptThatCommittedLearnsThatTheOutcomeIsItsOwn() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.refused("no"));
        assertThat(told(twin(), asking)).isEqualTo(Untimed.replay(RecordState.REFUSED, Settling.payload("no"), true));
        Asking without = Asking.forNewKey();
        committed(store(), transaction -> granted(transaction, without));
        assertThat(told(twin(), without)).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, true));
    }

    @Test
    @DisplayName("C46: another payload is refused, also on the fast path, and the record stays")
    void anotherPayloadIsRefused() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.succeeded("10"));
        for (int i = 0; i < 2; i++) {
            assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
            assertThat(told(asking)).isInstanceOf(ClaimAnswer.Replay.class);
        }
    }

    @Test
    void aRollbackLeavesNeitherRecordNorBusiness() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        rolledBack(store(), transaction -> {
            granted(transaction, asking);
            transaction.savepoint();
            insertBusinessRow(transaction, row);
            transaction.complete(Settling.succeeded("never"));
            return row;
        });
        assertThat(countBusinessRows(row)).isZero();
        assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aRecordThatIsCommittedAloneNeverRunsAgain() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        committed(store(), transaction -> {
            granted(transaction, asking);
            insertBusinessRow(transaction, row);
            return row;
        });
        assertThat(told(asking)).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
        assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    @Test
    void theRecordMayBeWrittenOnceWithItsResult() {
        Asking asking = Asking.forNewKey();
        committed(
                store(),
                transaction -> transaction.recordFirst(asking.request(), Settling.succeeded("at once"), LONG_WAIT));
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("at once"), false));
    }

    @Test
    void completingReplacesStateResultAndRetentions() {
        Asking asking = Asking.forNewKey();
        committed(store(), transaction -> {
            transaction.recordFirst(asking.request(), Settling.succeeded("draft"), LONG_WAIT);
            transaction.complete(Settling.refused("final"));
            return asking;
        });
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.REFUSED, Settling.payload("final"), false));

        Asking brief = Asking.forNewKey();
        run(store(), brief, newName(), Settling.succeeded(Settling.payload("x"), Asking.LONG, Asking.SHORT));
        backend().passTime(WELL_PAST);
        assertThat(told(brief)).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
    }

    @Test
    void aRecordThatIsNotThereCannotBeCompleted() {
        RecordTransaction transaction = store().begin();
        try {
            assertThatThrownBy(() -> transaction.complete(Settling.succeeded("x")))
                    .isInstanceOfAny(StoreUnavailableException.class, IllegalStateException.class);
        } finally {
            transaction.rollback();
        }
    }

    @Test
    void aRefusalIsKeptThoughTheBusinessIsUndone() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        committed(store(), transaction -> {
            granted(transaction, asking);
            transaction.savepoint();
            insertBusinessRow(transaction, row);
            insertBusinessRow(transaction, row);
            assertThat(countBusinessRows(transaction, row)).isEqualTo(2);
            transaction.rollbackToSavepoint();
            assertThat(countBusinessRows(transaction, row)).isZero();
            transaction.complete(Settling.refused("sold out"));
            return row;
        });
        assertThat(countBusinessRows(row)).isZero();
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.REFUSED, Settling.payload("sold out"), false));
    }

    @Test
    void aFreeKeyWhoseRecordHasExpiredIsGrantedWithAHigherFence() {
        Asking asking = Asking.forNewKey();
        Settlement brief = Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT);
        long fence = run(store(), asking, newName(), brief);
        backend().passTime(WELL_PAST);
        Asking next = asking.anew().payload(Asking.OTHER_PAYLOAD);
        assertThat(run(twin(), next, newName(), Settling.succeeded("second"))).isGreaterThan(fence);
        assertThat(told(next)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("second"), false));
    }

    @Test
    void anExpiredRecordComesBackWhenItsSuccessorIsRolledBack() {
        Asking asking = Asking.forNewKey();
        Settlement brief = Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT);
        run(store(), asking, newName(), brief);
        backend().passTime(WELL_PAST);
        long undone = rolledBack(store(), transaction -> granted(transaction, asking.anew()));
        assertThat(run(twin(), asking.anew(), newName(), Settling.succeeded("second")))
                .isGreaterThanOrEqualTo(undone);
        assertThat(told(asking)).isInstanceOf(ClaimAnswer.Replay.class);
    }

    @Test
    void anUnknownOutcomeIsToldToThoseWhoCannotReconcile() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.unknown());
        assertThat(told(asking)).isEqualTo(Untimed.unknown());
        assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
    }

    @Test
    void anUnknownOutcomeIsReconciledAndWhatWasFoundIsReplayed() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.unknown());
        committed(twin(), transaction -> {
            assertThat(reconcile(transaction, asking.anew()).asked()).isEqualTo(1);
            transaction.complete(Settling.succeeded("found"));
            return asking;
        });
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("found"), false));
    }

    @Test
    void anOutcomeThatIsStillUnknownIsCountedAndLeftAloneForThePause() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.unknown());
        backend().passTime(WELL_PAST);
        committed(twin(), transaction -> {
            assertThat(reconcile(transaction, asking.anew()).age()).isGreaterThanOrEqualTo(WELL_PAST);
            transaction.complete(Settling.unknown(Asking.SHORT));
            return asking;
        });
        backend().passTime(WELL_PAST);
        assertThat(told(asking.maxAsks(1))).isEqualTo(Untimed.unknown());
        committed(store(), transaction -> {
            ClaimAnswer.Reconcile let = reconcile(transaction, asking.anew());
            assertThat(let.asked()).isEqualTo(2);
            assertThat(let.age()).isGreaterThanOrEqualTo(WELL_PAST.multipliedBy(2));
            transaction.complete(Settling.unknown(Asking.LONG));
            return asking;
        });
        for (Asking asker : List.of(asking, asking.reconciling())) {
            assertThat(told(asker))
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Unknown.class,
                            unknown -> assertThat(unknown.pause()).isPositive());
        }
    }

    @Test
    void aReconcilerWhoRollsBackWasNeverLetIn() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.unknown());
        for (int i = 0; i < 2; i++) {
            ClaimAnswer.Reconcile let = rolledBack(twin(), transaction -> reconcile(transaction, asking.anew()));
            assertThat(let.asked()).isEqualTo(1);
        }
    }

    @Test
    void whatWasNotDoneRunsInTheSameTransactionOrIsFreed() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        run(store(), asking, newName(), Settling.unknown());
        committed(twin(), transaction -> {
            reconcile(transaction, asking.anew());
            transaction.complete(FIRST);
            transaction.savepoint();
            insertBusinessRow(transaction, row);
            transaction.complete(Settling.succeeded("done now"));
            return row;
        });
        assertThat(countBusinessRows(row)).isEqualTo(1);
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("done now"), false));

        Asking freed = Asking.forNewKey();
        run(store(), freed, newName(), Settling.unknown());
        committed(twin(), transaction -> {
            reconcile(transaction, freed.anew());
            transaction.release();
            return row;
        });
        assertThat(told(freed.payload(Asking.OTHER_PAYLOAD))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private static ClaimAnswer.Reconcile reconcile(RecordTransaction transaction, Asking asking) {
        ClaimAnswer answer = recordFirst(transaction, asking.reconciling());
        assertThat(answer).isInstanceOf(ClaimAnswer.Reconcile.class);
        return (ClaimAnswer.Reconcile) answer;
    }

    @Test
    void aKeyThatIsTooOldIsRefusedOnlyWhereNoRecordAnswers() {
        Instant now = Instant.EPOCH.plus(backend().storeTimeMicros(), ChronoUnit.MICROS);
        Duration limit = Duration.ofMinutes(1);
        Duration tolerance = Duration.ofSeconds(5);
        BirthRule tooOld = new BirthRule(now.minusSeconds(61), limit, tolerance);
        Asking asking = Asking.forNewKey();
        assertThat(told(asking.born(tooOld))).isEqualTo(new ClaimAnswer.OutOfTime(false));
        assertThat(told(asking.born(new BirthRule(now.plusSeconds(60), limit, tolerance))))
                .isEqualTo(new ClaimAnswer.OutOfTime(true));
        BirthRule young = new BirthRule(now.minusSeconds(30), limit, tolerance);
        run(store(), asking.born(young), newName(), Settling.succeeded("x"));
        assertThat(told(asking.born(tooOld))).isInstanceOf(ClaimAnswer.Replay.class);
    }

    @Test
    @DisplayName("C31: keys that look, sort or normalise alike are different keys")
    void keysThatLookAlikeAreDifferentKeys() {
        Scope scope = Scope.of("odd", UUID.randomUUID().toString());
        List<Asking> askings = OddKeys.values().stream()
                .map(value -> Asking.forId(
                        OperationKey.of(Asking.OPERATION, scope, value).id()))
                .toList();
        committed(store(), transaction -> {
            for (int i = 0; i < askings.size(); i++) {
                assertThat(transaction.recordFirst(
                                askings.get(i).request(), Settling.succeeded("answer " + i), LONG_WAIT))
                        .as("key %d", i)
                        .isInstanceOf(ClaimAnswer.Granted.class);
            }
            return scope;
        });
        rolledBack(twin(), transaction -> {
            for (int i = 0; i < askings.size(); i++) {
                assertThat(recordFirst(transaction, askings.get(i).anew()))
                        .as("key %d", i)
                        .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("answer " + i), false));
            }
            return scope;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 256, 65_536})
    @DisplayName("C48: results come back as they were, whatever their bytes and size")
    void resultsComeBackAsTheyWere(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        for (int i = 0; i < Math.min(size, 256); i++) {
            bytes[i] = (byte) i;
        }
        Asking asking = Asking.forNewKey();
        Payload payload = Payload.of(bytes);
        run(store(), asking, newName(), Settling.succeeded(payload, Asking.LONG, Asking.LONG));
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, payload, false));
    }

    @Test
    void aTransactionOfTheStoresOwnIsNotJoined() {
        RecordTransaction transaction = store().begin();
        try {
            assertThat(transaction.joined()).isFalse();
            assertThat(transaction.unwrap(Thread.class)).isNull();
        } finally {
            transaction.rollback();
        }
    }
}
