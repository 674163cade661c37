package io.oncegate.spring.tx;

import io.oncegate.jdbc.JdbcTransaction;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.tx.internal.DataSources;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;

/**
 * Spring's transactions for same-transaction mode: joins the caller's transaction where there is one, else begins one of
 * its own, in which {@code @Transactional} methods of the business take part (REQUIRED). Thread-safe. Needs a manager that
 * works on the data source's connections, such as those for JDBC and for JPA; a JTA manager does not.
 *
 * <p>A joined transaction takes no second connection. A failure in it marks the whole of it for rollback, as it does with
 * every REQUIRED method; a duplicate does not, and leaves the caller's transaction as usable as it was.
 *
 * <p>In its own transaction a kept refusal survives: the business's writes are undone to the savepoint, the record is
 * committed, and for Spring the transaction ends as rolled back, so that JPA flushes nothing afterwards and listeners for
 * after the commit do not run. An exception while JPA flushes, of a callback before the commit, or of an unexpected
 * rollback is thrown as it is: nothing has happened then. Any other failed commit is looked into by the engine.
 */
public final class SpringTransactionSource implements TransactionSource {
    private final PlatformTransactionManager manager;
    private final DataSource dataSource;

    /**
     * Creates the source.
     *
     * @param dataSource the one that the manager works on
     */
    public SpringTransactionSource(PlatformTransactionManager manager, DataSource dataSource) {
        this.manager = manager;
        this.dataSource = DataSources.target(dataSource);
    }

    @Override
    public JdbcTransaction begin() throws SQLException {
        TransactionStatus status;
        try {
            status = manager.getTransaction(TransactionDefinition.withDefaults());
        } catch (TransactionException e) {
            throw new SQLException("no transaction could be begun", e);
        }
        try {
            return SpringJdbcTransaction.in(manager, status, dataSource);
        } catch (RuntimeException e) {
            manager.rollback(status);
            throw e;
        }
    }
}
