package io.oncegate.spring.tx;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.jdbc.FenceColumn;
import io.oncegate.jdbc.FenceTable;
import io.oncegate.spring.tx.internal.DataSources;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Carries the fence of a lock or claim into the current transaction of Spring's, by a {@link FenceTable} or a {@link
 * FenceColumn}. Thread-safe. Takes the transaction's connection and never a second one; what the database refuses is
 * translated as by {@link JdbcTemplate}.
 */
public final class SpringFences {
    private final DataSource dataSource;
    private final FenceTable table;
    private final JdbcTemplate jdbc;

    /**
     * Fences in the table {@code oncegate_fence}.
     *
     * @param dataSource the one that the transaction manager works on
     */
    public SpringFences(DataSource dataSource) {
        this(dataSource, FenceTable.of());
    }

    /**
     * Fences in this table.
     *
     * @param dataSource the one that the transaction manager works on
     */
    public SpringFences(DataSource dataSource, FenceTable table) {
        this.dataSource = DataSources.target(dataSource);
        this.table = table;
        this.jdbc = new JdbcTemplate(this.dataSource);
    }

    /**
     * Raises the fence in a short transaction of its own, before the business's transaction begins, so that older holders are
     * refused from now on.
     *
     * @throws StaleFenceException if a newer holder has been there
     * @throws IllegalStateException inside a transaction, where it would take a second connection
     * @throws StoreUnavailableException if there is no answer
     */
    public void raiseFirst(OperationKey key, long fence) {
        if (OpenTransactions.on(dataSource).getAsBoolean()) {
            throw new IllegalStateException(
                    "a transaction is open on this data source, and raising a fence in one of its"
                            + " own would take a second connection; call raise, or raiseFirst before the transaction begins");
        }
        table.raise(dataSource, key, fence);
    }

    /**
     * Raises the fence in the current transaction, before the writes that it guards.
     *
     * @throws StaleFenceException if a newer holder has been there; the transaction is to be rolled back
     * @throws IllegalStateException if no transaction is open on this data source
     * @throws DataAccessException as the database says
     */
    public void raise(OperationKey key, long fence) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !OpenTransactions.on(dataSource).getAsBoolean()) {
            throw new IllegalStateException(
                    "no transaction is open on this data source, so that a newer holder could come"
                            + " between the fence and the write; call it in a @Transactional method, or use a FenceColumn, which"
                            + " takes one statement");
        }
        jdbc.execute((ConnectionCallback<Long>) connection -> {
            table.raise(connection, key, fence);
            return fence;
        });
    }

    /**
     * Writes columns of a row, and its fence, as {@link FenceColumn#update} does: in the current transaction, or alone where
     * none is open.
     *
     * @return false if there is no such row
     * @throws StaleFenceException if a newer holder has been there
     * @throws IllegalStateException if no transaction is open and the connections are not in auto-commit; the write would be lost
     * @throws DataAccessException as the database says
     */
    public boolean update(FenceColumn column, OperationKey key, long fence, Object rowKey, Map<String, ?> values) {
        return Writes.run(jdbc, connection -> column.update(connection, key, fence, rowKey, values));
    }
}
