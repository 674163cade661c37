package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ObservedTransaction;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import io.oncegate.core.spi.TransactionDeadException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes transactions that hold a record, with the settings of one store. Thread-safe; what it makes is not. */
final class RecordTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(RecordTransactions.class);
    private static final int MOST_LOOKS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 25;

    private final String name;
    private final Dialects dialects;
    private final Duration timeout;
    private final long margin;

    RecordTransactions(String name, Dialects dialects, Duration timeout, long margin) {
        this.name = name;
        this.dialects = dialects;
        this.timeout = timeout;
        this.margin = margin;
    }

    RecordTransaction in(JdbcTransaction transaction) {
        return new Open(transaction);
    }

    private interface SqlWork<T> {
        T run(Session session) throws SQLException;
    }

    private final class Open implements RecordTransaction, ObservedTransaction {
        private final JdbcTransaction transaction;
        private final Connection connection;
        private @Nullable ClaimRef written;
        private @Nullable Payload inquiry;
        private @Nullable Savepoint savepoint;

        private Open(JdbcTransaction transaction) {
            this.transaction = transaction;
            this.connection = transaction.connection();
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
            return bounded("the record", timeout.plus(wait), session -> {
                Dialect dialect = dialects.of(connection);
                long end = System.nanoTime() + wait.toNanos();
                int looks = 0;
                for (int waits = 0; ; ) {
                    Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
                    Found found =
                            dialect.recordFirst(session, draft(request, settlement, null, 0), window(request), left);
                    if (found.inserted() != null) {
                        return granted(request, found.inserted(), false);
                    }
                    ClaimAnswer answer = decide(session, dialect, request, settlement, found);
                    if (answer != null) {
                        return answer;
                    }
                    if (!found.busy()) {
                        if (++looks == MOST_LOOKS) {
                            throw new StoreUnavailableException(
                                    name, "the row was another one at every look; send the request again", null);
                        }
                    } else if (System.nanoTime() - end >= 0 || !pause(++waits)) {
                        return new ClaimAnswer.Held(Duration.ZERO);
                    }
                }
            });
        }

        /** The answer, or null if the key is busy or the row has to be looked at again. */
        private @Nullable ClaimAnswer decide(
                Session session, Dialect dialect, ClaimRequest request, Settlement settlement, Found found)
                throws SQLException {
            StoredRecord record = found.record();
            if (record == null && found.busy()) {
                return null;
            }
            Decision<ClaimAnswer> decision = RecordMachine.claim(record, request, found.now());
            if (!(decision.answer() instanceof ClaimAnswer.Granted
                    || decision.answer() instanceof ClaimAnswer.Reconcile)) {
                return decision.answer();
            }
            StoredRecord next = decision.record();
            if (record == null || next == null || found.busy()) {
                return null;
            }
            if (next == record) {
                // A running claim of the same attempt, that was not made in this mode: it is not for us to end it.
                return new ClaimAnswer.Held(RecordMachine.micros(record.leaseEnd() - found.now()));
            }
            if (decision.answer() instanceof ClaimAnswer.Granted granted) {
                long fence = dialect.rewrite(session, record, draft(request, settlement, record, found.now()));
                return fence < 0 ? null : granted(request, fence, granted.takeover());
            }
            long fence = dialect.rewrite(session, record, Draft.of(request.id(), next, found.now(), margin));
            return fence < 0 ? null : reconcile(request, fence, next, (ClaimAnswer.Reconcile) decision.answer());
        }

        private ClaimAnswer reconcile(
                ClaimRequest request, long fence, StoredRecord unknown, ClaimAnswer.Reconcile decided) {
            written = new ClaimRef(request.id(), fence, request.attempt());
            inquiry = unknown.result();
            return JdbcRecordStore.withFence(decided, fence);
        }

        private Draft draft(ClaimRequest request, Settlement settlement, @Nullable StoredRecord record, long now) {
            long fence = RecordMachine.nextFence(record, now);
            return Draft.of(request.id(), RecordMachine.settledFirst(request, settlement, fence, now), now, margin);
        }

        private Draft.@Nullable Window window(ClaimRequest request) {
            return JdbcRecordStore.window(request.birth());
        }

        private ClaimAnswer granted(ClaimRequest request, long fence, boolean takeover) {
            written = new ClaimRef(request.id(), fence, request.attempt());
            inquiry = null;
            return new ClaimAnswer.Granted(fence, takeover);
        }

        @Override
        public void savepoint() {
            bounded("a savepoint", timeout, session -> savepoint = connection.setSavepoint());
        }

        @Override
        public void rollbackToSavepoint() {
            Savepoint point = savepoint;
            if (point == null) {
                throw new IllegalStateException("there is no savepoint to go back to; call savepoint() first");
            }
            bounded("going back to the savepoint", timeout, session -> {
                connection.rollback(point);
                return point;
            });
        }

        @Override
        public void complete(Settlement settlement) {
            ClaimRef claim = written();
            Draft draft = JdbcRecordStore.settled(claim, settlement, inquiry, margin);
            requireThere(bounded(
                    "the result", timeout, session -> dialects.of(connection).complete(session, claim, draft)));
        }

        @Override
        public void release() {
            ClaimRef claim = written();
            requireThere(bounded(
                    "a release",
                    timeout,
                    session -> dialects.of(connection).free(session, claim, JdbcRecordStore.NO_FINGERPRINT, margin)));
        }

        private ClaimRef written() {
            if (written == null) {
                throw new IllegalStateException("this transaction has written no record; call recordFirst() first");
            }
            return written;
        }

        private void requireThere(boolean there) {
            if (!there) {
                throw new StoreUnavailableException(
                        name,
                        "the record is not in this transaction any more; roll back and send the request again",
                        null);
            }
        }

        @Override
        public void commit() {
            try {
                if (dialects.of(connection).givenUp(connection)) {
                    rollback();
                    throw new StoreUnavailableException(
                            name,
                            "a statement of the business failed and ended the transaction, and the business went on;"
                                    + " let it fail, or use a savepoint",
                            null);
                }
                OwnTransaction.commit(transaction, timeout);
            } catch (SQLException e) {
                throw JdbcCalls.unavailable(name, "the commit", e);
            }
        }

        @Override
        public void rollback() {
            try {
                OwnTransaction.rollback(transaction, timeout);
            } catch (SQLException | RuntimeException e) {
                // Nothing of it can be committed: an own connection has been ended, and a joined transaction that
                // cannot go back to its savepoint is dead.
                LOG.debug("store {}: a rollback failed; the transaction's connection is given up", name, e);
            }
        }

        @Override
        public boolean whenEnded(Consumer<End> listener) {
            return transaction instanceof ObservedTransaction observed && observed.whenEnded(listener);
        }

        @Override
        public <R> @Nullable R unwrap(Class<R> type) {
            return type.isInstance(connection) ? type.cast(connection) : null;
        }

        private <T> T bounded(String what, Duration limit, SqlWork<T> work) {
            try {
                NetworkTimeout network = NetworkTimeout.set(connection, Math.max(1, limit.toMillis()));
                try {
                    return work.run(new Session(connection, 0));
                } finally {
                    network.restore();
                }
            } catch (SQLException e) {
                if (SqlTrouble.of(e) == SqlTrouble.DEAD) {
                    throw new TransactionDeadException(name, e);
                }
                throw JdbcCalls.unavailable(name, what, e);
            } catch (IllegalArgumentException e) {
                throw new StoreUnavailableException(
                        name, "the row for " + what + " cannot be read by this version; update this instance", e);
            }
        }
    }

    /** Waits a little before the next look; false if the thread is interrupted. */
    private static boolean pause(int waits) {
        try {
            Thread.sleep(Math.min(LONGEST_PAUSE_MILLIS, 1L << Math.min(waits, 5))
                    + ThreadLocalRandom.current().nextLong(2));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
