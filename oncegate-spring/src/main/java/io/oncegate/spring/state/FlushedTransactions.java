package io.oncegate.spring.state;

import io.oncegate.jdbc.JdbcTransaction;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.tx.SpringTransactionSource;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Spring's transactions, in which JPA has written what it was keeping back: a row that is not there cannot be locked. One that
 * has ended, and whose callbacks are still running, is not joined: Spring would let us, and nobody would commit.
 */
final class FlushedTransactions implements TransactionSource {
    private final PlatformTransactionManager manager;
    private final TransactionSource transactions;

    FlushedTransactions(PlatformTransactionManager manager, DataSource dataSource) {
        this.manager = manager;
        this.transactions = new SpringTransactionSource(manager, dataSource);
    }

    @Override
    public JdbcTransaction begin() throws SQLException {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            if (Ended.isSo()) {
                throw new IllegalStateException(
                        "the transaction of this thread has ended, and what is fired in its callbacks"
                                + " would be lost; begin a new one, as with @Transactional(propagation = REQUIRES_NEW) on the listener");
            }
            flush();
        }
        JdbcTransaction begun = transactions.begin();
        Ended.watch();
        return begun;
    }

    /** Takes note of the commit, before all other callbacks. */
    private static final class Ended implements TransactionSynchronization {
        private boolean committed;

        /** Once the callbacks for the completion are called there is no synchronization any more. */
        static boolean isSo() {
            return !TransactionSynchronizationManager.isSynchronizationActive()
                    || current().anyMatch(e -> e.committed);
        }

        static void watch() {
            if (TransactionSynchronizationManager.isSynchronizationActive()
                    && current().findAny().isEmpty()) {
                TransactionSynchronizationManager.registerSynchronization(new Ended());
            }
        }

        private static Stream<Ended> current() {
            return TransactionSynchronizationManager.getSynchronizations().stream()
                    .filter(Ended.class::isInstance)
                    .map(Ended.class::cast);
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            committed = true;
        }
    }

    private void flush() {
        TransactionStatus status =
                manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS));
        try {
            status.flush();
        } catch (RuntimeException | Error e) {
            manager.rollback(status);
            throw e;
        }
        manager.commit(status);
    }
}
