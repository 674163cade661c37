package io.oncegate.testkit;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A store with points around its transactions' calls. */
final class CrashingTransactionalStore implements TransactionalRecordStore {
    private final TransactionalRecordStore store;
    private final CrashPoints points;

    CrashingTransactionalStore(TransactionalRecordStore store, CrashPoints points) {
        this.store = store;
        this.points = points;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public RecordTransaction begin() {
        return new CrashingTransaction(store.begin(), points);
    }

    private static final class CrashingTransaction implements RecordTransaction {
        private final RecordTransaction transaction;
        private final CrashPoints points;
        private boolean over;

        CrashingTransaction(RecordTransaction transaction, CrashPoints points) {
            this.transaction = transaction;
            this.points = points;
        }

        @Override
        public boolean joined() {
            return transaction.joined();
        }

        @Override
        public boolean threadBound() {
            return transaction.threadBound();
        }

        @Override
        public ClaimAnswer recordFirst(ClaimRequest request, Settlement settlement, Duration wait) {
            points.reach(CrashPoint.BEFORE_CLAIM);
            ClaimAnswer answer = transaction.recordFirst(request, settlement, wait);
            points.reach(CrashPoint.AFTER_CLAIM);
            return answer;
        }

        @Override
        public void savepoint() {
            transaction.savepoint();
        }

        @Override
        public void rollbackToSavepoint() {
            transaction.rollbackToSavepoint();
        }

        @Override
        public void complete(Settlement settlement) {
            points.reach(CrashPoint.BEFORE_SETTLE);
            transaction.complete(settlement);
            points.reach(CrashPoint.AFTER_SETTLE);
        }

        @Override
        public void release() {
            points.reach(CrashPoint.BEFORE_RELEASE);
            transaction.release();
            points.reach(CrashPoint.AFTER_RELEASE);
        }

        /** A connection that breaks before the commit leaves a transaction that the database rolls back. */
        @Override
        public void commit() {
            try {
                points.reach(CrashPoint.BEFORE_COMMIT);
            } catch (RuntimeException | Error e) {
                rollback();
                throw e;
            }
            over = true;
            transaction.commit();
            points.reach(CrashPoint.AFTER_COMMIT);
        }

        /** Once only: after a commit whose reply was lost there is nothing left to roll back. */
        @Override
        public void rollback() {
            if (!over) {
                over = true;
                transaction.rollback();
            }
        }

        @Override
        public <R> @Nullable R unwrap(Class<R> type) {
            return transaction.unwrap(type);
        }
    }
}
