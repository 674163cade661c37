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
        ClaimAnswer replay = new ClaimAnswer.Replay(RecordState.SUCCEEDED, Settling.payload("first"), false);
        assertThat(told(asking)).isEqualTo(replay);
        assertThat(told(store(), asking.anew())).isEqualTo(replay);
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    @Test
    void theAttemptThatCommittedLearnsThatTheOutcomeIsItsOwn() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.refused("no"));
        assertThat(told(twin(), asking))
                .isEqualTo(new ClaimAnswer.Replay(RecordState.REFUSED, Settling.payload("no"), true));
        Asking without = Asking.forNewKey();
        committed(store(), transaction -> granted(transaction, without));
        assertThat(told(twin(), without)).isEqualTo(new ClaimAnswer.NoResult(RecordState.SUCCEEDED, true));
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
        assertThat(told(asking)).isEqualTo(new ClaimAnswer.NoResult(RecordState.SUCCEEDED, false));
        assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    @Test
    void theRecordMayBeWrittenOnceWithItsResult() {
        Asking asking = Asking.forNewKey();
        committed(
                store(),
                transaction -> transaction.recordFirst(asking.request(), Settling.succeeded("at once"), LONG_WAIT));
        assertThat(told(asking))
                .isEqualTo(new ClaimAnswer.Replay(RecordState.SUCCEEDED, Settling.payload("at once"), false));
    }

    @Test
    void completingReplacesStateResultAndRetentions() {
        Asking asking = Asking.forNewKey();
        committed(store(), transaction -> {
            transaction.recordFirst(asking.request(), Settling.succeeded("draft"), LONG_WAIT);
            transaction.complete(Settling.refused("final"));
            return asking;
        });
        assertThat(told(asking))
                .isEqualTo(new ClaimAnswer.Replay(RecordState.REFUSED, Settling.payload("final"), false));

        Asking brief = Asking.forNewKey();
        run(store(), brief, newName(), Settling.succeeded(Settling.payload("x"), Asking.LONG, Asking.SHORT));
        backend().passTime(WELL_PAST);
        assertThat(told(brief)).isEqualTo(new ClaimAnswer.NoResult(RecordState.SUCCEEDED, false));
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
        assertThat(told(asking))
                .isEqualTo(new ClaimAnswer.Replay(RecordState.REFUSED, Settling.payload("sold out"), false));
    }

    @Test
    void aFreeKeyWhoseRecordHasExpiredIsGrantedWithAHigherFence() {
        Asking asking = Asking.forNewKey();
        Settlement brief = Settling.succeeded(Settling.payload("x"), Asking.SHORT, Asking.SHORT);
        long fence = run(store(), asking, newName(), brief);
        backend().passTime(WELL_PAST);
        Asking next = asking.anew().payload(Asking.OTHER_PAYLOAD);
        assertThat(run(twin(), next, newName(), Settling.succeeded("second"))).isGreaterThan(fence);
        assertThat(told(next))
                .isEqualTo(new ClaimAnswer.Replay(RecordState.SUCCEEDED, Settling.payload("second"), false));
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
    void anUnknownOutcomeIsToldAndNeverReconciledHere() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.unknown());
        assertThat(told(asking)).isEqualTo(new ClaimAnswer.Unknown());
        assertThat(told(asking.reconciling())).isEqualTo(new ClaimAnswer.Unknown());
        assertThat(told(asking.payload(Asking.OTHER_PAYLOAD))).isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
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
                        .isEqualTo(
                                new ClaimAnswer.Replay(RecordState.SUCCEEDED, Settling.payload("answer " + i), false));
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
        assertThat(told(asking)).isEqualTo(new ClaimAnswer.Replay(RecordState.SUCCEEDED, payload, false));
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
