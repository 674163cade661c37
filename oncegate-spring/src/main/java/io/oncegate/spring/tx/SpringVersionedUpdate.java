package io.oncegate.spring.tx;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.VersionedUpdate;
import io.oncegate.spring.tx.internal.DataSources;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * {@link VersionedUpdate} in the current transaction of Spring's, for those who use {@link JdbcTemplate} or {@code JdbcClient}.
 * Thread-safe. Takes the transaction's connection and never a second one; what the database refuses is translated as by {@link
 * JdbcTemplate}. To try again in fresh transactions, call it within {@link FreshTransactions}.
 */
public final class SpringVersionedUpdate {
    private final VersionedUpdate helper;
    private final JdbcTemplate jdbc;

    /**
     * Creates it.
     *
     * @param dataSource the one that the transaction manager works on
     */
    public SpringVersionedUpdate(DataSource dataSource, VersionedUpdate helper) {
        this.helper = helper;
        this.jdbc = new JdbcTemplate(DataSources.target(dataSource));
    }

    /**
     * Writes a row, as {@link VersionedUpdate#update}: in the current transaction, or alone where none is open.
     *
     * @return the new version
     * @throws StaleVersionException if the row has another version or is gone
     * @throws IllegalArgumentException if the version is null or negative; the database was not asked
     * @throws IllegalStateException if no transaction is open and the connections are not in auto-commit; the write would be lost
     * @throws DataAccessException as the database says
     */
    public long update(Object key, @Nullable Long version, Map<String, ?> values) {
        return Writes.run(jdbc, connection -> helper.update(connection, key, version, values));
    }

    /**
     * Writes rows in a batch, as {@link VersionedUpdate#updateAll}, in the current transaction.
     *
     * @return the new versions, in the order of the rows
     * @throws StaleVersionException if rows have other versions or are gone; it names which
     * @throws IllegalStateException if no transaction is open
     * @throws DataAccessException as the database says
     */
    public List<Long> updateAll(List<VersionedUpdate.Row> rows) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "no transaction is open, so that a part of the batch would be kept where another is"
                            + " refused; call it in a @Transactional method");
        }
        return Objects.requireNonNull(
                jdbc.execute((ConnectionCallback<List<Long>>) connection -> helper.updateAll(connection, rows)));
    }
}
