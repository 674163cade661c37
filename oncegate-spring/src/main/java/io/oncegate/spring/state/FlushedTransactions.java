package io.oncegate.spring.state;

import io.oncegate.jdbc.JdbcTransaction;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.tx.SpringTransactionSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Spring's transactions, in which JPA has written what it was keeping back: a row that is not there cannot be locked. */
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
            flush();
        }
        return transactions.begin();
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
