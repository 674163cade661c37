package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Work inside a transaction that the caller has begun and alone ends. */
abstract class TransactionalJoinChecks extends TransactionalAnswerChecks {
    @Test
    @DisplayName("C28: a caller's transaction stays usable after a duplicate, and its other rows are committed")
    void aCallersTransactionStaysUsableAfterADuplicate() {
        Asking asking = Asking.forNewKey();
        run(store(), asking, newName(), Settling.succeeded("first"));
        String row = newName();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            assertThat(joined.joined()).isTrue();
            insertBusinessRow(joined, row);
            assertThat(recordFirst(joined, asking.anew()))
                    .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("first"), false));
            insertBusinessRow(joined, row);
            assertThat(recordFirst(joined, asking.anew().payload(Asking.OTHER_PAYLOAD)))
                    .isEqualTo(new ClaimAnswer.Mismatch(Asking.PAYLOAD));
            insertBusinessRow(joined, row);
            joined.commit();
            caller.commit();
        }
        assertThat(countBusinessRows(row)).isEqualTo(3);
    }

    @Test
    @DisplayName("C30: a transaction whose snapshot is older than the winner's commit is told of the winner")
    void aTransactionWithAnOldSnapshotIsToldOfTheWinner() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        ClaimAnswer replay = Untimed.replay(RecordState.SUCCEEDED, Settling.payload("winner"), false);
        RecordTransaction own = store().begin();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            countBusinessRows(joined, row);
            countBusinessRows(own, row);
            run(twin(), asking, newName(), Settling.succeeded("winner"));
            assertThat(recordFirst(joined, asking.anew())).isEqualTo(replay);
            insertBusinessRow(joined, row);
            joined.commit();
            caller.commit();
            assertThat(recordFirst(own, asking.anew())).isEqualTo(replay);
        } finally {
            own.rollback();
        }
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    @Test
    void theCallersCommitKeepsRecordAndBusiness() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            granted(joined, asking);
            joined.savepoint();
            insertBusinessRow(joined, row);
            joined.complete(Settling.succeeded("done"));
            joined.commit();
            caller.commit();
        }
        assertThat(countBusinessRows(row)).isEqualTo(1);
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("done"), false));
    }

    @Test
    void theCallersRollbackTakesRecordAndBusinessThoughTheyWereCompleted() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            granted(joined, asking);
            insertBusinessRow(joined, row);
            joined.complete(Settling.succeeded("done"));
            joined.commit();
            caller.rollback();
        }
        assertThat(countBusinessRows(row)).isZero();
        assertThat(told(asking)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aJoinedRefusalIsKeptThoughTheBusinessIsUndone() {
        Asking asking = Asking.forNewKey();
        String before = newName();
        String row = newName();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            insertBusinessRow(joined, before);
            granted(joined, asking);
            joined.savepoint();
            insertBusinessRow(joined, row);
            joined.rollbackToSavepoint();
            joined.complete(Settling.refused("sold out"));
            joined.commit();
            caller.commit();
        }
        assertThat(countBusinessRows(before)).isEqualTo(1);
        assertThat(countBusinessRows(row)).isZero();
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.REFUSED, Settling.payload("sold out"), false));
    }

    @Test
    void aJoinedRollbackUndoesRecordAndBusinessWhateverTheCallerDoesThen() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction joined = caller.join();
            granted(joined, asking);
            insertBusinessRow(joined, row);
            joined.rollback();
            commitIfStillPossible(caller);
        }
        assertThat(countBusinessRows(row)).isZero();
        assertThat(told(asking)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** A store may have marked the caller's transaction so that its commit fails. */
    private static void commitIfStillPossible(CallerTransaction caller) {
        try {
            caller.commit();
        } catch (RuntimeException expected) {
            caller.rollback();
        }
    }

    @Test
    void twoOperationsInOneCallersTransactionEachHaveTheirRecord() {
        Asking first = Asking.forNewKey();
        Asking second = Asking.forNewKey();
        try (CallerTransaction caller = beginAsCaller()) {
            RecordTransaction outer = caller.join();
            granted(outer, first);
            outer.savepoint();
            RecordTransaction inner = caller.join();
            granted(inner, second);
            inner.savepoint();
            inner.complete(Settling.succeeded("inner"));
            inner.commit();
            outer.complete(Settling.succeeded("outer"));
            outer.commit();
            caller.commit();
        }
        assertThat(told(first)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("outer"), false));
        assertThat(told(second)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("inner"), false));
    }
}
